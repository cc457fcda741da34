extension ConfigurationValue {
    /// Returns the value with the text at a path of keys replaced, for settings outside of the file. Missing mappings
    /// on the path are created. If the path leads through another kind of value, it stays unchanged, so that the reader
    /// reports it.
    package func replacing(_ path: some Collection<String>, with text: String) -> ConfigurationValue {
        guard let key = path.first else { return ConfigurationValue(.text(text)) }
        var members: [String: ConfigurationValue]
        switch content {
        case .nothing: members = [:]
        case .mapping(let present): members = present
        case .text, .list: return self
        }
        members[key] = (members[key] ?? ConfigurationValue(.nothing)).replacing(path.dropFirst(), with: text)
        return ConfigurationValue(.mapping(members), line: line)
    }
}
