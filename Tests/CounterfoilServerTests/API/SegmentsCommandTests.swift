import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import StoreSimulator
import TestSupport
import Testing

/// Runs `counterfoil server segments` as a process against a server.
@Suite struct `The command for segments` {
    private static func run(_ arguments: [String], _ url: String, in folder: URL) async throws -> (Int32, [String]) {
        let key = folder.appending(path: "key.txt")
        try Data(TestAPIClient.key.utf8).write(to: key)
        let outcome = try await ServerProcess.run(
            ["server", "segments"] + arguments + ["--url", url, "--key", key.path])
        return (outcome.status, outcome.text.split(separator: "\n").map(String.init))
    }

    @Test func `The segments command prints a segment as text, JSON and CSV`() async throws {
        try await World.withAPI { world in
            var customers: [String] = []
            for name in ["anna", "ben", "carl"] {
                customers.append(try await world.subscribe(name))
                try await world.simulator.perform(.cancel(customer: name))
                try await world.simulator.advance(by: 3600)
            }
            try await world.settle()
            try await Tool.inTemporaryFolder { folder in
                let (status, lists) = try await Self.run([], world.url, in: folder)
                #expect(status == 0 && lists.contains("will_not_renew: 3") && lists.contains("refunded: 0"), "\(lists)")
                let (_, lines) = try await Self.run(["will_not_renew"], world.url, in: folder)
                #expect(lines.count == 3, "\(lines)")
                for (line, customer) in zip(lines, customers) {
                    #expect(line.hasSuffix("cancelled  customer \(customer)") && line.contains("days left"), "\(line)")
                }
                let (_, objects) = try await Self.run(
                    ["will_not_renew", "--json", "--limit", "2"], world.url, in: folder)
                let owners = try objects.map {
                    (try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["customers"] as? [String]
                }
                #expect(owners == [[customers[0]], [customers[1]]])
                let (_, table) = try await Self.run(["will_not_renew", "--csv"], world.url, in: folder)
                #expect(table.count == 4 && table[0].hasPrefix("original_transaction_id,app,"), "\(table)")
                #expect(table[3].hasSuffix(customers[2]))
                let (_, none) = try await Self.run(
                    ["will_not_renew", "--reason", "billing_error"], world.url, in: folder)
                #expect(none == [])
                let (_, sandbox) = try await Self.run(
                    ["will_not_renew", "--environment", "sandbox"], world.url, in: folder)
                #expect(sandbox == [])
            }
        }
    }

    @Test func `The segments command refuses invalid arguments and prints server errors`() async throws {
        try await World.withAPI { world in
            try await Tool.inTemporaryFolder { folder in
                for arguments in [
                    ["--csv"], ["--limit", "2"], ["refunded", "--csv", "--json"], ["refunded", "--within-days", "0"],
                    ["refunded", "--limit", "0"],
                ] {
                    #expect(try await Self.run(arguments, world.url, in: folder).0 == 2, "\(arguments)")
                }
                for name in ["nobody", "../customers/anna", "refunded?limit=0", "\u{202E}x"] {
                    let (status, lines) = try await Self.run([name], world.url, in: folder)
                    #expect(status == 1 && lines.count == 1, "\(lines)")
                    #expect(lines.first?.contains("404: The segments are will_not_renew") == true, "\(lines)")
                }
                let (status, lines) = try await Self.run([], "http://127.0.0.1:1", in: folder)
                #expect(status == 1 && lines.first?.contains("does not answer") == true)
            }
        }
    }

    /// Page 0 links to page 1, page 1 to page 2, and page 2 to itself. With `reason`, page 0 links to another server.
    @Test func `The segments command joins the pages of a CSV and follows links to the same server only`() async throws
    {
        let router = Router()
        router.get("/v1/segments/refunded") { request, _ -> Response in
            let page = request.uri.queryParameters["page"].map { String($0) } ?? "0"
            let elsewhere = request.uri.queryParameters["reason"] != nil
            var headers: HTTPFields = [.contentType: "text/csv"]
            if let link = HTTPField.Name("link") {
                let next = elsewhere ? "http://evil.example/v1/segments/x" : "/v1/segments/refunded?page="
                headers[link] = "<\(next)\(page == "0" ? 1 : 2)>; rel=\"next\""
            }
            let body = "id,customers\r\n\(page)1,\"a\nb\"\r\n\(page)2,c\"\"\r\n"
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
        }
        let server = try await TestServer(router)
        try await server.whileRunning {
            try await Tool.inTemporaryFolder { folder in
                let url = "http://127.0.0.1:\(server.port)"
                let (status, lines) = try await Self.run(["refunded", "--csv"], url, in: folder)
                #expect(status == 0)
                #expect(
                    lines == [
                        "id,customers", "01,\"a", "b\"", "02,c\"\"", "11,\"a", "b\"", "12,c\"\"", "21,\"a", "b\"",
                        "22,c\"\"",
                    ])
                let (_, three) = try await Self.run(["refunded", "--csv", "--limit", "3"], url, in: folder)
                #expect(three == Array(lines.prefix(6)))
                let (_, one) = try await Self.run(["refunded", "--csv", "--reason", "x"], url, in: folder)
                #expect(one == Array(lines.prefix(4)))
            }
        }
    }
}
