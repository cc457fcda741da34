internal import AppStoreModels

/// The origin of each setting of a configuration. It does not contain the values.
package struct SettingOrigins: Sendable {
    /// The lines of the settings that the file has, by their paths.
    var lines: [String: Int] = [:]
    /// The variables and options that override settings, by the paths of the settings.
    var overrides: [String: String] = [:]
    /// The settings that have another value in the file since a reload, which takes effect only after a restart.
    var waiting: [String: Origin] = [:]

    /// Where a value in effect came from, when its file was read.
    enum Origin: Sendable {
        case line(Int)
        case `default`
    }

    /// Returns `line 12`, the name of an environment variable, `--port`, or `default`. If the file has another value
    /// now, says that it waits for a restart.
    package func origin(of path: String) -> String {
        switch waiting[path] {
        case .line(let line)?: "line \(line) of an earlier file, until a restart"
        case .default?: "default, until a restart"
        case nil: overrides[path] ?? lines[path].map { "line \($0)" } ?? "default"
        }
    }

    /// The line of a setting in the file; nil if the file does not have it, or something overrides it.
    func line(of path: String) -> Int? { overrides[path] == nil ? lines[path] : nil }
}

extension ServerConfiguration {
    /// Returns the origins of the settings in effect after a reload has applied a part of `other` to `former`.
    func origins(applying other: ServerConfiguration, to former: ServerConfiguration) -> SettingOrigins {
        // The file may have the apps in another order.
        var places: [String: String] = [:]
        for (index, app) in apps.enumerated() {
            let place = other.apps.firstIndex { $0.bundleID.isExactly(app.bundleID) }
            places["apps[\(index)]"] = place.map { "apps[\($0)]" } ?? "no app"
        }
        func pathInFile(_ path: String) -> String {
            guard let end = path.firstIndex(of: "]"), let place = places[String(path[...end])] else { return path }
            return place + path[path.index(after: end)...]
        }
        func settings(of configuration: ServerConfiguration) -> [String: EffectiveConfiguration.Setting] {
            Dictionary(
                EffectiveConfiguration(configuration).settings.map { ($0.path, $0) },
                uniquingKeysWith: { first, _ in first })
        }
        let (inFile, before) = (settings(of: other), settings(of: former))
        var origins = SettingOrigins(overrides: other.origins.overrides)
        for setting in EffectiveConfiguration(self).settings {
            let path = pathInFile(setting.path)
            if setting.hasSameValue(as: inFile[path]) {
                origins.lines[setting.path] = other.origins.lines[path]
            } else if !setting.hasSameValue(as: before[setting.path]) {
                // A secret that ended because its app was removed.
                origins.waiting[setting.path] = .default
            } else {
                let line = former.origins.lines[setting.path].map { SettingOrigins.Origin.line($0) }
                origins.waiting[setting.path] = former.origins.waiting[setting.path] ?? line ?? .default
            }
        }
        return origins
    }
}
