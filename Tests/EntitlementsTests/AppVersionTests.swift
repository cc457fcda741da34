import Entitlements
import Testing

@Suite struct `Versions of an app` {
    @Test(arguments: [
        ("1.9", "1.10"), ("1", "2"), ("1.0.9", "1.1"), ("9", "10"), ("2.0", "2.0.1"), ("0", "0.0.1"),
        ("20240301", "20240302"), ("99999999999999999998", "99999999999999999999"), ("1.2.3.4", "1.2.3.5"),
        ("2.0d1", "2.0a1"), ("2.0a9", "2.0b1"), ("2.0b2", "2.0b12"), ("2.0b12", "2.0fc1"), ("2.0fc1", "2.0"),
        ("1.9", "2.0d1"), ("2.0", "2.0.1d1"), ("2b", "2b1"),
    ])
    func `App versions are compared number by number`(_ earlier: String, _ later: String) throws {
        let (one, other) = (try #require(AppVersion(earlier)), try #require(AppVersion(later)))
        #expect(one < other)
        #expect(!(other < one))
        #expect(one != other)
    }

    @Test(arguments: [
        ("1", "1.0"), ("1.0.0", "1"), ("01.02", "1.2"), ("0.0", "0"), ("2.0b01", "2b1"), ("2.0f1", "2fc1"),
    ])
    func `App versions in different notations can be equal`(_ one: String, _ other: String) throws {
        #expect(try #require(AppVersion(one)) == #require(AppVersion(other)))
        #expect(try !(#require(AppVersion(one)) < #require(AppVersion(other))))
    }

    @Test(arguments: [
        "", ".", "1.", ".1", "1..2", "v1", "1.0-beta", "1.0 ", "1,0", "-1", "+1", "1.0b1.2", "1.0x", "1.0bb", "١.٢",
        String(repeating: "1", count: 65),
    ])
    func `A text that is not an app version yields nil`(_ text: String) { #expect(AppVersion(text) == nil) }
}
