import AppStoreModels
import Ledger
import Testing

@Suite struct `Apps and environments` {
    @Test(arguments: [
        (nil as String?, nil as String?, true), ("caf\u{E9}", "Sandbox", true), ("caf\u{E9}", nil, true),
        (nil, "Sandbox", true), (nil, "Production", false), ("other", "Sandbox", false),
        // The same letters for a reader, and for Swift's `==`.
        ("cafe\u{301}", "Sandbox", false),
    ])
    func `The names of an app and environment are compared by their bytes`(
        _ app: String?, _ environment: String?, _ matches: Bool
    ) {
        let appEnvironment = AppEnvironment(id: 1, bundleID: "caf\u{E9}", environment: .sandbox)
        #expect(appEnvironment.matches(app: app, environment: environment) == matches)
    }
}
