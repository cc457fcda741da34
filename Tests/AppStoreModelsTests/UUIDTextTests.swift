import Foundation
import Testing

@testable import AppStoreModels

@Suite struct `Reading a UUID` {
    @Test func `A UUID is read like Foundation does, in either case`() {
        for _ in 0..<1000 {
            let uuid = UUID()
            #expect(UUID(text: uuid.uuidString) == uuid)
            #expect(UUID(text: uuid.uuidString.lowercased()) == uuid)
            #expect(uuid.text == uuid.uuidString.lowercased())
        }
    }

    @Test(arguments: [
        "", "x", "7e3fb20b-4cdb-47cc-936d-99d65f608138 ", "7e3fb20b04cdb-47cc-936d-99d65f608138",
        "7e3fb20b-4cdb-47cc-936d-99d65f60813g", "{7e3fb20b-4cdb-47cc-936d-99d65f6081}",
        "7e3fb20b-4cdb-47cc-936d-99d65f60813é", "7e3fb20b4cdb47cc936d99d65f608138",
    ])
    func `A text that is not a UUID is refused`(_ text: String) {
        #expect(UUID(text: text) == nil)
    }
}
