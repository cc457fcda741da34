import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing
import WebConsole

@testable import CounterfoilServer

/// Signed data on the pages of customers, of notifications and on the decode page.
@Suite struct `Signed data in the console` {
    @Test func `Signed data is shown with readable dates, prices and enumerations`() async throws {
        try await World.withConsole { world, browser in
            let anna = try await world.subscribe("anna")
            let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
            for path in ["/customers/\(anna)?open=\(uuid)", "/notifications/\(uuid)"] {
                let page = try await browser.get("/console" + path).text
                #expect(page.contains(/<dt>price<\/dt><dd><bdi>\d+\.\d\d USD<\/bdi>/), "\(path)")
                #expect(page.contains("<dt>autoRenewStatus</dt><dd>on</dd>"), "\(path)")
                #expect(page.contains("<dt>offerPeriod</dt><dd>1 week</dd>"), "\(path)")
                #expect(page.contains(/<dt>purchaseDate<\/dt><dd><time datetime=/), "\(path)")
                #expect(page.contains("1.2.840.113635.100.6.11.1"), "\(path)")
                // All parts were signed with the same certificate chain, which is shown once.
                #expect(page.components(separatedBy: "Certificates, from the one that signed").count == 2, "\(path)")
                #expect(page.utf8.count < 60_000, "\(path): \(page.utf8.count)")
            }
            let stored = try await world.api.get("/v1/notifications/\(uuid)?include=signed_data")
            let text = try #require(stored["signed_data"] as? String)
            let decoded = try await browser.post("/console/decode", ["text": text]).text
            #expect(decoded.contains("Exact value") && !decoded.contains("table class=\"stack unproven\""))
            #expect(decoded.contains(/<td [^>]*><bdi>\d+\.\d\d USD<\/bdi><\/td><td [^>]*><code><bdi>\d+<\/bdi>/))
            let forged = "eyJ4NWMiOltdfQ.eyJub3RpZmljYXRpb25UeXBlIjoiVEVTVCJ9.AAAA"
            let refused = try await browser.post("/console/decode", ["text": forged]).text
            #expect(
                refused.contains("table class=\"stack unproven\"") && refused.contains("anyone can have written it"))
        }
    }

    @Test func `Decoded numbers that are no valid price or date are shown unchanged`() async throws {
        try await World.withConsole { _, browser in
            // {"currency":"USD","price":1e300,"signedDate":99999999999999999}
            let payload = "eyJjdXJyZW5jeSI6IlVTRCIsInByaWNlIjoxZTMwMCwic2lnbmVkRGF0ZSI6OTk5OTk5OTk5OTk5OTk5OTl9"
            let text = "eyJ4NWMiOltdfQ.\(payload).AAAA"
            let page = try await browser.post("/console/decode", ["text": text]).text
            #expect(page.contains("<bdi>1e+300</bdi>") && !page.contains("NaN"))
            #expect(page.contains("<bdi>99999999999999999</bdi>") && !page.contains(" UTC</time>"))
            // It is the value itself, not the exact value of a date that cannot be shown.
            #expect(!page.contains("<code><bdi>99999999999999999"))
        }
    }

    @Test func `Prices of commitments and of Advanced Commerce are shown in the enclosing currency`() async throws {
        try await World.withConsole { _, browser in
            let payload = """
                {"currency":"USD","commitmentInfo":{"commitmentPrice":59880,"commitmentRenewalPrice":71880},\
                "advancedCommerceInfo":{"estimatedTax":210,"items":[{"refunds":[{"refundAmount":1500}]}]}}
                """
            let encoded = Data(payload.utf8).base64EncodedString().replacing("=", with: "")
            let page = try await browser.post("/console/decode", ["text": "eyJ4NWMiOltdfQ.\(encoded).AAAA"]).text
            for price in ["59.88", "71.88", "0.21", "1.50"] {
                #expect(page.contains("<bdi>\(price) USD</bdi>"), "\(price)")
            }
        }
    }
}
