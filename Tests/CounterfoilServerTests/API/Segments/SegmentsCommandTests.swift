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
        let outcome = try await outcome(arguments, url, in: folder)
        return (outcome.status, outcome.text.split(whereSeparator: \.isNewline).map(String.init))
    }

    private static func outcome(
        _ arguments: [String], _ url: String, in folder: URL
    ) async throws -> ChildProcess.Outcome {
        let key = folder.appending(path: "key.txt")
        try Data(TestAPIClient.key.utf8).write(to: key)
        return try await ServerProcess.run(["server", "segments"] + arguments + ["--url", url, "--key", key.path])
    }

    @Test func `The segments command prints a segment as text, JSON and CSV`() async throws {
        try await World.withAPI { world in
            var customers: [String] = []
            for name in ["anna", "ben", "carl"] {
                customers.append(try await world.subscribe(name))
                try await world.simulator.perform(.cancel(customer: name))
                try await world.simulator.advance(by: 3600)
            }
            try await world.waitUntilIdle()
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
                let answer = try await world.api.get("/v1/segments/will_not_renew?format=csv")
                let written = try await Self.outcome(["will_not_renew", "--csv"], world.url, in: folder)
                #expect(written.status == 0 && Data(written.output.utf8) == answer.body)
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
            // A cell with line breaks and an escape character; the last line end of a page is optional.
            let end = page == "1" ? "" : "\r\n"
            let body = "id,customers\r\n\(page)1,\"a\nb\r\nc\u{1B}\"\r\n\(page)2,c\"\"\(end)"
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
        }
        let server = try await TestServer(router)
        try await server.whileRunning {
            try await Tool.inTemporaryFolder { folder in
                let url = "http://127.0.0.1:\(server.port)"
                let columns = "id,customers\r\n"
                func rows(_ page: Int) -> String {
                    "\(page)1,\"a\nb\r\nc\u{1B}\"\r\n\(page)2,c\"\"\r\n"
                }
                let all = try await Self.outcome(["refunded", "--csv"], url, in: folder)
                #expect(all.status == 0)
                #expect(all.output == columns + rows(0) + rows(1) + rows(2))
                let three = try await Self.outcome(["refunded", "--csv", "--limit", "3"], url, in: folder)
                #expect(three.output == columns + rows(0) + "11,\"a\nb\r\nc\u{1B}\"\r\n")
                let one = try await Self.outcome(["refunded", "--csv", "--reason", "x"], url, in: folder)
                #expect(one.output == columns + rows(0))
            }
        }
    }
}
