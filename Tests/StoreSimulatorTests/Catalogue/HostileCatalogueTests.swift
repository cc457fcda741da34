import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `Hostile catalogues` {
    @Test(arguments: [
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]", "aliases are not supported"),
        ("a: &a x\n*a : y", "aliases are not supported"),
        ("- # comment\r*a", "aliases are not supported"),
        ("a: &a [x, x]\nb: {c: \"\n  # \", d: *a}", "aliases are not supported"),
        ("a: &a [x, x]\nb: ['\n  #', *a]", "aliases are not supported"),
        ("a: &a [x, x]\nb: ['\n  #'x, *a]", "not YAML"),
        ("base: &x {id: a}\nproducts:\n  - <<: *x", "aliases are not supported"),
        ("? [a, b]\n: c", "keys after a question mark"),
        ("{? a : b}", "keys after a question mark"),
        (String(repeating: "[", count: 100) + String(repeating: "]", count: 100), "nested deeper than 16"),
        (String(repeating: "[", count: 1 << 19), "not YAML"),
        (String(repeating: "- ", count: 1 << 19), "not YAML"),
        (String(repeating: "a: {", count: 1 << 18), "not YAML"),
        (String(repeating: "#", count: (1 << 20) + 1), "larger than 1 MiB"),
        ("a: [", "not YAML"), ("a: \"\\q\"", "not YAML"), ("\u{1}", "not YAML"), ("a: 1\n---\nb: 2", "not YAML"),
        ("[a]: b", "a key is not text"), ("!!map []", "is a list and should be a mapping"), ("", "is nothing"),
    ])
    func `A hostile YAML catalogue is refused with the matching reason`(_ text: String, _ message: String) {
        let problems = CatalogueYAMLTests.problems(text)
        #expect(problems.first?.contains(message) == true, "\(problems.prefix(3))")
    }

    @Test func `Asterisks and question marks in YAML text and comments are accepted`() throws {
        let text = """
            # - *not* an alias
            # It isn't one: *neither*. What's the price: ?
            products:
              - {id: a, type: consumable, price: 1, name: "Really? *Yes*"} # ? and *this*
              - {id: b, type: consumable, price: 1, name: the *best* there is?}
            """
        #expect(try Catalogue(yaml: text).products.map(\.name) == ["Really? *Yes*", "the *best* there is?"])
    }

    @Test(arguments: [
        ".nan", "NaN", ".inf", "-.inf", "1e3", "0x10", "1_000", "+1", "-0", "1.", ".5", "1.2.3", "9.9999", "٣",
        "1 000",
        "99999999999999999999999999", "1000000000.001", "[1]", "{a: 1}",
    ])
    func `A malformed price is refused`(_ price: String) {
        let problems = CatalogueYAMLTests.problems("products: [{id: a, type: consumable, price: \(price)}]")
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("products[0].price: ") == true)
    }

    @Test(arguments: [
        ("0", Int64(0)), ("0.1", 100), ("0.001", 1), ("9.99", 9990), ("9.9900000", 9990), ("007", 7000),
        ("1000000000", 1_000_000_000_000), ("\"12.345\"", 12_345), ("8589934592.001", nil), ("0.29", 290),
        ("1.15", 1150),
    ])
    func `A price is parsed exactly, or refused above the maximum`(_ text: String, _ price: Int64?) {
        let catalogue = try? Catalogue(yaml: "products: [{id: a, type: consumable, price: \(text)}]")
        #expect(catalogue?.products.first?.price == price)
    }

    @Test func `The error lists 100 problems and the number of the others`() {
        let text = "products:\n" + String(repeating: "  - {}\n", count: 500)
        let problems = CatalogueYAMLTests.problems(text)
        #expect(problems.count == 101)
        #expect(problems.last == "1400 more problems")
    }

    @Test func `More than 10,000 products are refused`() {
        let text = "products:\n" + (0...10_000).map { "  - {id: p\($0), type: consumable, price: 1}\n" }.joined()
        #expect(CatalogueYAMLTests.problems(text) == ["products: more than 10000, line 1"])
    }

    @Test func `More than 300 storefronts are refused`() {
        let text = "storefronts: [" + String(repeating: "{code: DEU},", count: 20_000) + "]"
        #expect(CatalogueYAMLTests.problems(text) == ["storefronts: more than 300, line 1"])
    }

    @Test func `Problems contain no escape characters and are shorter than 200 bytes`() {
        let problems = CatalogueYAMLTests.problems("\"\\e[2J\": 1\n\(String(repeating: "x", count: 500)): 2")
        #expect(problems.count == 2)
        #expect(problems.allSatisfy { $0.utf8.count < 200 && !$0.contains("\u{1B}") })
    }

    @Test(arguments: [
        ("", "not JSON"), ("[", "not JSON"), ("[]", "is a list and should be a mapping"),
        (String(repeating: "[", count: 100_000), "nested deeper"),
        (String(repeating: #"{"a":"#, count: 100_000), "nested deeper"),
        ("[" + String(repeating: "1,", count: 600_000) + "1]", "more than 500000 values"),
        (String(repeating: " ", count: (4 << 20) + 1), "larger than 4 MiB"),
        (#"{"products": [], "products": [{}]}"#, "not JSON: a member is repeated"),
        (#"{"products": [{}]}"#, "products[0].type: is missing"),
        (#"{"products": {"a": 1}}"#, "products: is a mapping and should be a list"),
        (#"{"products": [{"productID": "a", "type": "Consumable", "displayPrice": "NaN"}]}"#, "displayPrice"),
        (#"{"products": [{"productID": "a", "type": "Consumable", "displayPrice": 1e400}]}"#, "displayPrice"),
        (#"{"products": [{"productID": "a", "type": "Consumable", "displayPrice": -1}]}"#, "cannot be negative"),
        (
            #"{"subscriptionGroups": [{"id": "g", "subscriptions": [{"productID": "a", "displayPrice": "1", "recurringSubscriptionPeriod": "P1M", "groupNumber": 1e30}]}]}"#,
            "groupNumber"
        ),
        (
            #"{"subscriptionGroups": [{"subscriptions": [{"productID": "a", "displayPrice": "1"}]}]}"#,
            "subscriptionGroups[0].id: is missing"
        ),
    ])
    func `A hostile StoreKit configuration file is refused with the matching reason`(_ text: String, _ message: String)
    {
        do throws(CatalogueError) {
            _ = try StoreKitConfiguration(Data(text.utf8))
            Issue.record("accepted")
        } catch {
            #expect(error.problems.first?.description.contains(message) == true, "\(error)")
        }
    }

    @Test func `Mutated catalogues are parsed or refused without a crash`() async {
        var random = SeededGenerator(seed: 3)
        let (yaml, json) = (Array(CatalogueYAMLTests.text.utf8), Array(StoreKitConfigurationTests.text.utf8))
        var refused = (yaml: 0, json: 0)
        for await _ in Yielding(0..<400) {
            if (try? Catalogue(yaml: String(decoding: random.mutated(yaml), as: UTF8.self))) == nil {
                refused.yaml += 1
            }
            if (try? StoreKitConfiguration(Data(random.mutated(json)))) == nil { refused.json += 1 }
        }
        #expect((1..<400).contains(refused.yaml) && (1..<400).contains(refused.json), "\(refused)")
    }
}
