extension ConfigurationValue {
    /// The lines of all settings, by their paths such as `apps[0].bundle_id`.
    package var lines: [String: Int] {
        var lines: [String: Int] = [:]
        collect(into: &lines, path: "")
        return lines
    }

    private func collect(into lines: inout [String: Int], path: String) {
        if let line, !path.isEmpty { lines[path] = line }
        switch content {
        case .nothing, .text: break
        case .list(let items):
            for (index, item) in items.enumerated() { item.collect(into: &lines, path: "\(path)[\(index)]") }
        case .mapping(let members):
            for (name, member) in members {
                member.collect(into: &lines, path: path.isEmpty ? name : "\(path).\(name)")
            }
        }
    }
}
