import AppStoreServer

/// The list of endpoints in `counterfoil api --help`.
enum EndpointList {
    static var text: String {
        let groups = [
            ("App Store Server API", AppStoreEndpoint.server),
            ("Retention Messaging API", AppStoreEndpoint.retentionMessaging),
            ("Advanced Commerce API", AppStoreEndpoint.advancedCommerce),
        ]
        return groups.map { title, endpoints in
            "  \(title)\n" + endpoints.map(line).joined(separator: "\n") + "\n"
        }.joined()
    }

    private static func line(_ endpoint: AppStoreEndpoint) -> String {
        var words = [endpoint.name] + endpoint.parameters.map { "<\($0)>" }
        if endpoint.contentType != nil { words.append("--body …") }
        if let environment = endpoint.environment { words.append("(\(environment.rawValue.lowercased()) only)") }
        if endpoint.isDeprecated { words.append("(deprecated)") }
        let line = "    " + words.joined(separator: " ")
        guard !endpoint.queryParameters.isEmpty else { return line }
        // Break the lines here: ArgumentParser would continue a long one without indentation.
        let rows = stride(from: 0, to: endpoint.queryParameters.count, by: 6).map { start in
            endpoint.queryParameters.dropFirst(start).prefix(6).joined(separator: ", ")
        }
        return line + "\n        query: " + rows.joined(separator: ",\n               ")
    }
}
