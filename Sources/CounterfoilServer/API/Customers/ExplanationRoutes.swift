internal import Basics
internal import Entitlements
internal import Foundation
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Explains why a customer has or does not have an entitlement.
struct ExplanationRoutes {
    /// The maximum number of facts in a response. The deciding facts are always included.
    private static let maximumFacts = 500

    let customers: CustomerReader
    let apps: Apps

    func add(to v1: APIRouter) {
        v1.get("/customers/{id}/entitlements/{key}/explain", needs: .customersRead, explain)
    }

    /// Returns the rule, every fact with its role, and the certificate chain of each; with `include=signed_data` also
    /// the texts.
    private func explain(_ call: APICall) async throws -> Response {
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        let entitlement = call.pathParameter("key") ?? ""
        let known = apps[appEnvironment.bundleID]?.catalogue.entitlements ?? [:]
        guard known[entitlement] != nil else {
            throw APIFailure.unknownEntitlement(entitlement, among: known.keys)
        }
        let explained = try await customers.explanation(
            of: entitlement, for: customer, in: appEnvironment, at: call.request.date("at"),
            limit: try Paging(call.request, largest: Self.maximumFacts).limit,
            naming: call.maySeeOtherCustomers, others: call.otherEnvironments(of: appEnvironment))
        let withTexts = call.request.includes("signed_data")
        return .json { write(explained, withTexts: withTexts, to: &$0) }
    }

    private func write(_ explained: CustomerExplanation, withTexts: Bool, to json: inout JSONWriter) {
        let explanation = explained.explanation
        json.object("explanation") { json in
            json.member("customer", explained.customer)
            json.member("entitlement", explanation.entitlement)
            json.member("as_of", explanation.asOf)
            json.member("is_active", explanation.isActive)
            json.member("until", explanation.until)
            json.member("rule", explanation.rule.rawValue)
            json.member("sentence", explanation.sentence)
            json.member("product_id", explanation.productID)
            json.member("transaction_id", explanation.transactionID)
            json.member("changes", explained.changes) { json, change in
                json.object("ownership_change") { json in
                    json.member("occurred_at", change.change.instant)
                    json.members(of: change, naming: explained.namesCustomers)
                }
            }
            if !explained.grants.isEmpty {
                let at = explanation.asOf.milliseconds
                json.member("grants", explained.grants.suffix(Self.maximumFacts)) { json, grant in
                    GrantJSON.write(
                        grant, explained.appEnvironment, at: at, naming: explained.namesCustomers, to: &json)
                }
            }
            if let original = explained.originalPurchase {
                json.value("original_purchase") { OriginalPurchaseJSON.write(original, withText: withTexts, to: &$0) }
            }
            json.member("facts_omitted", explanation.facts.count - explained.facts.count)
            json.member("facts", explained.facts) { json, fact in
                write(fact, explained.evidence[fact.version], withText: withTexts, to: &json)
            }
            json.unverified(explained.unverified)
        }
    }

    private func write(
        _ fact: ExplainedFact, _ evidence: Evidence?, withText: Bool, to json: inout JSONWriter
    ) {
        json.object("explained_fact") { json in
            json.member("kind", fact.kind.rawValue)
            json.member("identifier", fact.identifier)
            json.member("original_transaction_id", fact.originalTransactionID)
            json.member("product_id", fact.productID)
            json.member("signed_date", fact.signedDate)
            json.member("role", fact.role.rawValue)
            guard let evidence else { return }
            json.member("origin", evidence.origin.name)
            json.member("received_at", evidence.receivedAt)
            json.member("notification_uuid", evidence.notification)
            json.value("verification") { NotificationJSON.write(evidence.trace, to: &$0) }
            if withText { json.member("signed_data", evidence.text) }
        }
    }
}
