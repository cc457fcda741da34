import AppStoreModels
import CounterfoilServer
import Foundation
import Ledger
import LedgerServices
import StoreSimulator
import Testing

@Suite struct `Authorization` {
    private static let start = Int64(World.start.timeIntervalSince1970)

    @Test func `A request needs a known API key that allows the scope and the environment`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            var api = world.api
            #expect(try await api.get("/v1/customers/\(anna)").status == 200)
            for key in [nil, "", "cfk_of-nobody-whom-we-know", TestAPIClient.key + "x"] {
                api.key = key
                let answer = try await api.get("/v1/customers/\(anna)")
                #expect(answer.status == 401)
                #expect(answer["code"] as? String == "unauthorized")
                #expect(answer.headers["www-authenticate"] == #"Bearer realm="Counterfoil""#)
                #expect(!answer.text.contains("cfk_"))
            }
            api.key = TestAPIClient.readerKey
            #expect(try await api.get("/v1/customers/\(anna)").status == 403)
            #expect(try await api.get("/v1/customers/\(anna)?environment=Sandbox").status == 200)
            #expect(try await api.get("/v1/notifications").status == 403)
            // A public key needs a customer token.
            api.key = TestAPIClient.publicKey
            #expect(try await api.get("/v1/customers/\(anna)").status == 401)
        }
    }

    @Test func `A key of one app cannot read customers of another app`() async throws {
        try await World.withAPI { configuration in
            configuration.apps.append(.init(bundleID: "com.example.other", environments: [.sandbox]))
            configuration.keys.append(
                .init(
                    name: "other", hash: APIKeyText.hash(of: "other"), scopes: [.customersRead],
                    apps: ["com.example.other"]))
        } _: { world in
            let anna = try await world.subscribe("anna")
            let app = world.simulator.information.bundleID
            func subscriptions(_ path: String, _ api: TestAPIClient) async throws -> Int? {
                (try await api.get(path)["subscriptions"] as? [Any])?.count
            }
            #expect(try await subscriptions("/v1/customers/\(anna)?app=\(app)", world.api) == 1)
            var api = world.api
            api.key = "other"
            let refused = try await api.get("/v1/customers/\(anna)?app=\(app)")
            #expect(refused.status == 400 && refused.code == "unknown_app")
            // A key of one app may omit the parameter.
            #expect(try await subscriptions("/v1/customers/\(anna)", api) == 0)
            #expect(try await subscriptions("/v1/customers/\(anna)?app=com.example.other", api) == 0)
        }
    }

    /// They were empty, as if there were nothing.
    @Test func `Lists refuse apps and environments that the key may not see, like requests about one object`()
        async throws
    {
        let other = "com.example.other"
        try await World.withAPI { configuration in
            configuration.apps.append(.init(bundleID: other, environments: [.sandbox]))
            let scopes = Set(APIScope.all)
            configuration.keys.append(
                .init(
                    name: "sandbox", hash: APIKeyText.hash(of: "sandbox"), scopes: scopes, environments: [.sandbox]))
            configuration.keys.append(
                .init(name: "other", hash: APIKeyText.hash(of: "other"), scopes: scopes, apps: [other]))
        } _: { world in
            let app = world.simulator.information.bundleID
            let body = Data(#"{"code":"storage_damaged"}"#.utf8)
            for (key, query, status, code) in [
                ("sandbox", "app=\(app)&environment=Production", 403, "forbidden"),
                ("other", "app=\(other)&environment=Production", 400, "unknown_environment"),
                ("other", "environment=Production", 400, "unknown_environment"),
                ("other", "app=\(app)", 400, "unknown_app"),
            ] {
                let api = TestAPIClient(url: world.url, key: key)
                for path in [
                    "customers/anna?", "notifications?", "events?", "completeness?", "recoveries?", "search?q=anna&",
                ] {
                    let refused = try await api.get("/v1/\(path)\(query)")
                    #expect(refused.status == status && refused.code == code, "\(path)\(query): \(refused.text)")
                }
                let refused = try await api.send("POST", "/v1/notifications/reprocess?\(query)", body: body)
                #expect(refused.status == status && refused.code == code, "\(query): \(refused.text)")
            }
            let lists = TestAPIClient(url: world.url, key: "sandbox")
            #expect(try await lists.get("/v1/completeness?environment=Production").code == "forbidden")
            #expect(try await lists.get("/v1/completeness?environment=Sandbox").items.count == 2)
            #expect(try await lists.get("/v1/completeness").items.count == 2)
        }
    }

    @Test func `Customers with the same identifier in two apps have separate rate limits`() async throws {
        let secret = "a secret of the other app's backend"
        try await World.withAPI { configuration in
            configuration.limits.requestsPerSecondOfCustomer = 1
            configuration.apps.append(.init(bundleID: "com.example.other", environments: [.sandbox]))
            configuration.apps[1].customerTokenSecret = Secret(secret)
        } _: { world in
            var isSeparate = false
            // Two names may share a meter by chance.
            for name in ["anna", "ben", "carl"] where !isSeparate {
                let claims = #"{"sub":"\#(name)","iat":\#(Self.start),"exp":\#(Self.start + 3600)}"#
                let other = TestAPIClient(
                    url: world.url, key: TestAPIClient.publicKey,
                    token: TestAPIClient.token(claims: claims, secret: secret))
                let path = "/v1/customers/\(name)"
                var isRefused = false
                for _ in 0..<1000 where !isRefused {
                    isRefused = try await world.appClient(for: name).get(path).status == 429
                }
                try #require(isRefused)
                isSeparate = try await other.get(path).status == 200
            }
            #expect(isSeparate)
        }
    }

    @Test func `While the secret of customer tokens is replaced, tokens of both secrets are accepted`() async throws {
        let newer = "the newer secret of the app's backend"
        try await World.withAPI { configuration in
            configuration.apps[0].formerCustomerTokenSecret = configuration.apps[0].customerTokenSecret
            configuration.apps[0].customerTokenSecret = Secret(newer)
        } _: { world in
            func token(_ customer: String, _ secret: String) -> String {
                let claims = #"{"sub":"\#(customer)","iat":\#(Self.start),"exp":\#(Self.start + 3600)}"#
                return TestAPIClient.token(claims: claims, secret: secret)
            }
            func client(_ secret: String) -> TestAPIClient {
                TestAPIClient(url: world.url, key: TestAPIClient.publicKey, token: token("anna", secret))
            }
            let path = "/v1/customers/anna"
            for secret in [newer, TestAPIClient.tokenSecret] {
                #expect(try await client(secret).get(path).status == 200, "\(secret)")
                for other in [newer, TestAPIClient.tokenSecret] {
                    let body = ["from": "anonymous", "from_token": token("anonymous", other)]
                    #expect(try await client(secret).post(path + "/merge", body).status == 200, "\(other)")
                }
            }
            #expect(try await client("a secret that the server does not know").get(path).status == 401)
            var changed = try world.configuration()
            changed.apps[0].formerCustomerTokenSecret = nil
            let reloaded = changed
            try await world.server.reload { reloaded }
            #expect(try await client(newer).get(path).status == 200)
            #expect(try await client(TestAPIClient.tokenSecret).get(path).status == 401)
        }
    }

    @Test func `A public key reads only the customer that the token names`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let ben = try await world.subscribe("ben")
            let (iat, exp) = (Self.start, Self.start + 3600)
            var api = TestAPIClient(
                url: world.url, key: TestAPIClient.publicKey,
                token: TestAPIClient.token(claims: #"{"sub":"\#(anna.uppercased())","iat":\#(iat),"exp":\#(exp)}"#))
            let answer = try await api.get("/v1/customers/\(anna)")
            #expect(answer.status == 200)
            #expect((answer["entitlements"] as? [[String: Any]])?.first?["is_active"] as? Bool == true)
            #expect(try await api.get("/v1/customers/\(ben)").status == 403)
            #expect(try await api.get("/v1/customers/\(ben)/timeline").status == 403)
            #expect(try await api.get("/v1/customers/\(ben)/entitlements/premium/explain").status == 403)
            #expect(try await api.get("/v1/notifications").status == 403)
            #expect(try await api.get("/v1/transactions/1").status == 403)
            // The token is ignored if the key is not public.
            api.key = TestAPIClient.key
            #expect(try await api.get("/v1/customers/\(ben)").status == 200)
        }
    }

    @Test func `Customer IDs are compared byte by byte and must be in Unicode Normalization Form C`() async throws {
        try await World.withAPI { world in
            let (composed, decomposed) = ("jos\u{E9}", "jose\u{301}")
            let path = "/v1/customers/jos%C3%A9"
            #expect(try await world.appClient(for: composed).get(path).status == 200)
            let token = try await world.appClient(for: decomposed).get(path)
            #expect(token.status == 401)
            #expect((token["message"] as? String)?.contains("Normalization Form C") == true)
            let named = try await world.api.get("/v1/customers/jose%CC%81")
            #expect(named.status == 400 && named["code"] as? String == "invalid_customer")
            #expect((named["message"] as? String)?.contains("Normalization Form C") == true)
            // The normal form of the Kelvin sign is the letter K.
            #expect(try await world.api.get("/v1/customers/%E2%84%AA").status == 400)
            // Foundation drops a leading U+FEFF.
            let marked = "/v1/customers/%EF%BB%BFjos%C3%A9"
            #expect(try await world.appClient(for: "\u{FEFF}\(composed)").get(marked).status == 200)
            #expect(try await world.appClient(for: composed).get(marked).status == 403)
            let bundleID = world.simulator.information.bundleID
            #expect(try await world.api.get("\(path)?app=\(bundleID)").status == 200)
            #expect(try await world.api.get("\(path)?app=\(bundleID.replacing("p", with: "p%CC%81"))").status == 400)
        }
    }

    @Test func `A customer ID that clients resolve in a path is refused`() async throws {
        try await World.withAPI { world in
            for name in [".", ".."] {
                // This client resolves neither dots nor percent-encoded ones.
                let encoded = name.replacing(".", with: "%2E")
                let named = try await world.api.get("/v1/customers/\(encoded)/timeline")
                #expect(named.status == 400 && named.code == "invalid_customer", "\(name)")
                #expect((named["message"] as? String)?.contains("cannot be . or ..") == true, "\(name)")
                let token = try await world.appClient(for: name).get("/v1/customers/anna")
                #expect(token.status == 401, "\(name)")
                #expect((token["message"] as? String)?.contains("cannot be . or ..") == true, "\(name)")
            }
        }
    }

    @Test func `Malformed, forged, expired and mistimed customer tokens are answered with 401`() async throws {
        let (iat, exp) = (Self.start, Self.start + 3600)
        let good = #"{"sub":"anna","iat":\#(iat),"exp":\#(exp)}"#
        let head = #"{"alg":"HS256"}"#
        let signed = TestAPIClient.token(claims: good)
        let tokens: [(String, type: String)] = [
            ("", "unauthorized"), ("..", "unauthorized"), ("a.b", "unauthorized"), (signed + "A", "unauthorized"),
            (signed + "=", "unauthorized"), (String(repeating: "a", count: 5000), "unauthorized"),
            (TestAPIClient.token(claims: good, secret: "another"), "unauthorized"),
            (TestAPIClient.token(claims: good, secret: ""), "unauthorized"),
            (TestAPIClient.token(header: #"{"alg":"none"}"#, claims: good), "unauthorized"),
            (TestAPIClient.token(header: #"{"alg":"HS512"}"#, claims: good), "unauthorized"),
            (TestAPIClient.token(header: #"{"alg":"HS256","crit":["exp"],"exp":1}"#, claims: good), "unauthorized"),
            (TestAPIClient.token(header: #"{"alg":"HS256","b64":false}"#, claims: good), "unauthorized"),
            (TestAPIClient.token(header: #"{"alg":"HS256","alg":"HS256"}"#, claims: good), "unauthorized"),
            (TestAPIClient.token(header: head, claims: "[]"), "unauthorized"),
            (TestAPIClient.token(header: head, claims: #"{"sub":"anna","exp":\#(exp)}"#), "unauthorized"),
            (TestAPIClient.token(header: head, claims: #"{"sub":"","iat":\#(iat),"exp":\#(exp)}"#), "unauthorized"),
            (TestAPIClient.token(header: head, claims: #"{"sub":"anna","iat":\#(iat),"exp":1e400}"#), "unauthorized"),
            (TestAPIClient.token(header: head, claims: #"{"sub":"anna","iat":\#(iat),"exp":9e300}"#), "unauthorized"),
            (TestAPIClient.token(claims: #"{"sub":"anna","iat":\#(iat - 7200),"exp":\#(iat)}"#), "token_expired"),
            (TestAPIClient.token(claims: #"{"sub":"anna","iat":\#(iat + 90),"exp":\#(exp)}"#), "unauthorized"),
            (TestAPIClient.token(claims: #"{"sub":"anna","iat":\#(iat),"exp":\#(iat + 90000)}"#), "unauthorized"),
            (
                TestAPIClient.token(claims: #"{"sub":"anna","iat":\#(iat),"exp":\#(exp),"aud":"com.other"}"#),
                "unauthorized"
            ),
        ]
        try await World.withAPI { world in
            for (token, type) in tokens {
                let api = TestAPIClient(url: world.url, key: TestAPIClient.publicKey, token: token)
                let answer = try await api.get("/v1/customers/anna")
                #expect(answer.status == 401, "\(token.prefix(40))")
                #expect(answer["code"] as? String == type, "\(token.prefix(40))")
            }
            let claims = #"{"sub":"anna","iat":\#(iat + 90),"exp":\#(exp)}"#
            let early = TestAPIClient(
                url: world.url, key: TestAPIClient.publicKey, token: TestAPIClient.token(claims: claims))
            let message = try #require(try await early.get("/v1/customers/anna")["message"] as? String)
            #expect(message.contains("its iat or nbf is more than a minute after the server's time"))
            let audience =
                #"{"sub":"anna","iat":\#(iat),"exp":\#(exp),"aud":"\#(world.simulator.information.bundleID)"}"#
            let api = TestAPIClient(
                url: world.url, key: TestAPIClient.publicKey, token: TestAPIClient.token(claims: audience))
            #expect(try await api.get("/v1/customers/anna").status == 200)
        }
    }

    /// Why the token is rejected at the start; nil if it is valid.
    private static func refusal(of token: String) -> CustomerToken.Refusal? {
        do throws(CustomerToken.Refusal) {
            _ = try CustomerToken(
                token, secret: Secret(TestAPIClient.tokenSecret), bundleID: "com.example.app", now: World.start)
            return nil
        } catch { return error }
    }

    /// `iat`, `exp` and `nbf`, in seconds after the server's time.
    @Test(
        arguments: [
            (0, 1, nil, nil), (0, 0, nil, .expired), (60, 3600, nil, nil), (61, 3600, nil, .notYet),
            (0, 3600, 60, nil), (0, 3600, 61, .notYet), (60, 86_460, nil, nil), (0, 86_401, nil, .tooLong),
            (-86_399, 1, nil, nil), (-86_400, 1, nil, .tooLong),
        ] as [(Int64, Int64, Int64?, CustomerToken.Refusal?)])
    func `A customer token is valid for at most a day, and a minute before it begins`(
        _ issued: Int64, _ expiry: Int64, _ begin: Int64?, _ refusal: CustomerToken.Refusal?
    ) {
        let nbf = begin.map { #","nbf":\#(Self.start + $0)"# } ?? ""
        let claims = #"{"sub":"anna","iat":\#(Self.start + issued),"exp":\#(Self.start + expiry)\#(nbf)}"#
        #expect(Self.refusal(of: TestAPIClient.token(claims: claims)) == refusal)
    }

    @Test(
        arguments: [
            (255, 0, nil), (256, 0, .malformed), (1, 4096, .malformed),
        ] as [(Int, Int, CustomerToken.Refusal?)])
    func `A customer token names at most 255 bytes and has at most 4 KiB`(
        _ nameLength: Int, _ padding: Int, _ refusal: CustomerToken.Refusal?
    ) {
        let (name, spaces) = (String(repeating: "a", count: nameLength), String(repeating: " ", count: padding))
        let claims = #"{"sub":"\#(name)","iat":\#(Self.start),"exp":\#(Self.start + 60)\#(spaces)}"#
        #expect(Self.refusal(of: TestAPIClient.token(claims: claims)) == refusal)
    }

    @Test func `A public key reads a customer only in its apps and environments`() async throws {
        let secret = "a secret of the other app's backend"
        try await World.withAPI { configuration in
            configuration.apps.append(.init(bundleID: "com.example.other", environments: [.sandbox]))
            configuration.apps[1].customerTokenSecret = Secret(secret)
            let scopes = APIScope.publicKeyScopes
            configuration.keys.append(
                .init(
                    name: "other", hash: APIKeyText.hash(of: "other"), scopes: scopes, apps: ["com.example.other"],
                    isPublic: true))
            configuration.keys.append(
                .init(
                    name: "tests", hash: APIKeyText.hash(of: "tests"), scopes: scopes, environments: [.sandbox],
                    isPublic: true))
        } _: { world in
            let claims = #"{"sub":"anna","iat":\#(Self.start),"exp":\#(Self.start + 3600)}"#
            func status(_ key: String, _ secret: String, _ query: String = "") async throws -> Int {
                let token = TestAPIClient.token(claims: claims, secret: secret)
                return try await TestAPIClient(url: world.url, key: key, token: token)
                    .get("/v1/customers/anna" + query).status
            }
            let statuses = try await [
                status("other", secret), status("other", TestAPIClient.tokenSecret),
                status("tests", TestAPIClient.tokenSecret),
                status("tests", TestAPIClient.tokenSecret, "?environment=Sandbox"),
            ]
            #expect(statuses == [200, 401, 403, 200])
        }
    }
}
