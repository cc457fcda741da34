import Foundation
import StoreSimulator
import TestSupport
import Testing

/// Files to start from, and what a script reads from the commands that write them.
@Suite struct `Files to start from` {
    @Test func `The printed catalogue is the one that the simulator uses by default`() async throws {
        let printed = try await Command.run(["simulator", "catalogue"])
        #expect(printed.status == 0 && !Catalogue.example.products.isEmpty, "\(printed.errors)")
        #expect(try Catalogue(yaml: printed.output) == .example)
    }

    @Test func `server init --json prints file and key as one object`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            let written = try await Command.run(["server", "init", "--output", file.path, "--json"])
            #expect(written.status == 0, "\(written.errors)")
            let object = try #require(try written.object() as? [String: String])
            #expect(object.keys.sorted() == ["file", "key"] && object["file"] == file.path)
            #expect(object["key"]?.wholeMatch(of: /cfk_[A-Za-z0-9_-]{43}/) != nil)
            let again = try await Command.run(["server", "init", "--output", file.path, "--json"])
            #expect(try again.status == 1 && again.object()["code"] as? String == "file_exists")
        }
        let mixed = try await Command.run(["server", "init", "--output", "-", "--json"])
        #expect(mixed.status == 2 && mixed.errors.contains("--json needs a file") && !mixed.output.contains("cfk_"))
    }
}
