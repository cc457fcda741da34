internal import AppStoreModels
internal import Basics
internal import Foundation
internal import Hummingbird
internal import LedgerServices

/// The public keys of signed responses. An app must contain its key: a key that a device requests would prove nothing.
struct KeyRoutes {
    let apps: Apps

    func add(to v1: APIRouter) { v1.get("/keys", needs: .customersRead, keys) }

    private func keys(_ call: APICall) throws -> Response {
        .object("list") { json in
            let apps = self.apps.all.filter { call.principal.apps?.containsExactly($0.bundleID) ?? true }
            json.member("items", apps.filter { $0.responseSigningKey != nil }) { json, app in
                json.object("answer_key") { json in
                    json.member("app", app.bundleID)
                    json.member("algorithm", "Ed25519")
                    json.member("public_key", Data(app.responseSigningKey?.publicKey ?? []).base64EncodedString())
                }
            }
        }
    }
}
