internal import Basics
internal import Foundation
internal import HTTPTypes
internal import WebConsole

/// The page that decodes pasted signed data. Nothing is stored.
enum DecodePage {
    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        var page = pageRequest.page("Decode")
        (page.api, page.command) = ("POST /v1/decode", "counterfoil verify FILE")
        page.paragraph(
            """
            Paste signed data of the App Store (transactions, renewal infos, notifications, app transactions, retention \
            requests), a receipt, an answer of verifyReceipt, a chain in PEM, a webhook of this server with its headers, \
            an API token, or a signature of an offer. One in the original format needs what was signed with it, as the \
            API returns it. Nothing is stored.
            """)
        let file = pageRequest.fields.file("file")
        let text = file.flatMap { String(validating: $0, as: UTF8.self) } ?? pageRequest.fields.exact("text") ?? ""
        let data = file ?? Data(text.utf8)
        if !data.isEmpty {
            var query: [(String, String)] = []
            if let at = pageRequest.fields["at"] { query.append(("at", PageRequest.apiInstant(at))) }
            if pageRequest.fields["revocation"] == "soft" { query.append(("revocation", "soft")) }
            let target = pageRequest.target(["decode"], query, isScoped: false)
            let answer = try await pageRequest.console.api.call(
                .post, target, body: data, for: pageRequest.context)
            if pageRequest.accept(answer, &page, "It") { show(answer.json, pageRequest, &page) }
        }
        guard pageRequest.may(.supportRead) else {
            page.paragraph("To decode, the key needs the scope support:read.", "empty")
            return page
        }
        page.form(
            PageLink("console", "decode"),
            [
                .init("text", "Text", .area, value: text),
                .init("file", "Or a file, such as a receipt", .file),
                .init("at", "Verify as of (empty: the signing date)", value: pageRequest.fields.text("at")),
                .init(
                    "revocation", "Revocation", .choice([("", "do not check"), ("soft", "ask Apple's responder")]),
                    value: pageRequest.fields.text("revocation")),
            ], button: "Decode")
        return page
    }

    private static func show(
        _ json: APIValue, _ pageRequest: PageRequest, _ page: inout ConsolePage, part: String? = nil
    ) {
        let isProven = json["is_proven"].flag == true
        page.title(part ?? "Verdict")
        page.paragraph(json.string("message"), "note")
        page.facts([
            ("What it is", .plain(json.string("kind").words)),
            ("Verdict", .tag(isProven ? "proven" : "not proven", isProven ? .good : .bad)),
            ("Code", json["code"].text.map { .code($0) } ?? .none),
        ])
        let known = json["known"]
        if let id = known["id"].text {
            let isTransaction = known["kind"].text == "transaction"
            let own = pageRequest.selecting(known)
            let record = ("In the ledger: \(id)", own.link(isTransaction ? "transactions" : "notifications", id))
            let records: [(String, PageLink)] = isTransaction || own.mayOpenNotifications ? [record] : []
            page.links(
                records + known.strings("customers").map { ("Customer \($0)", own.link("customers", $0)) })
        }
        if !known["note"].isNothing { page.paragraph(known.string("note"), "note") }
        if !known["differences"].items.isEmpty {
            page.table(
                "Differences to the newest text in the ledger", ["Member", "In the ledger", "Here"],
                known["differences"].items.map { difference in
                    [
                        .code(difference.string("member")), .foreign(difference.string("kept")),
                        .foreign(difference.string("shown")),
                    ]
                }, empty: "")
        }
        page.table(
            "Checks in their order", ["Check", "Result", "Note"],
            json["checks"].items.map { check in
                let result = check.string("result")
                return [
                    .plain(check.string("name").words),
                    .tag(result.words, result == "passed" ? .good : result == "failed" ? .bad : .plain),
                    .foreign(check.string("note"), limit: 500),
                ]
            }, empty: "Nothing could be checked.")
        if !json["payload"].isNothing {
            let caption = isProven ? "Contents" : "Contents, not verified: anyone can have written it"
            MemberFormatter.table(of: json["payload"], caption: caption, isProven: isProven, &page)
        }
        if !json["verification"].isNothing {
            VerificationDetails.show([("Basis of the verification", json["verification"])], &page)
        }
        for inner in json["parts"].items { show(inner, pageRequest, &page, part: inner["name"].text ?? "Part") }
    }
}
