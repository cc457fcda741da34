internal import Basics

extension String {
    /// Whether this can be the name of a key, an endpoint or an entitlement: 1 to 100 letters, digits, dots, - and _,
    /// which need no escaping in URL paths and log lines. Not `.` or `..`, which clients resolve in a path.
    package var isSettingName: Bool {
        (1...100).contains(utf8.count) && utf8.allSatisfy { $0.isASCIIAlphanumeric || "._-".utf8.contains($0) }
            && ![".", ".."].contains(self)
    }
}
