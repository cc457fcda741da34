extension ConfigurationValue {
    /// The same with a text at a path of keys, for what is told elsewhere than in the file. Mappings on the way are made
    /// where there is nothing; where there is something else the value stays as it is, for the reader to complain.
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
