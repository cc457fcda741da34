import AppStoreModels
import ArgumentParser
import Foundation
import StoreSimulator

/// `counterfoil simulator buy`: the most frequent thing that customers do.
struct BuyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "buy", abstract: "Let a customer of the simulator buy a product.",
        discussion: """
            The customer is made if need be. A product may be named by the end of its identifier. The purchase names the \
            customer's account in the app, by which a server knows whose it is: a UUID made from the seed and the name, \
            unless one is given here. What is given stays so for the purchases that follow.

            A promotional offer needs a signature, as in the App Store. --signature takes what the app would have: the JWS, \
            or JSON with keyId, nonce, timestamp and signature. --sign-by asks a Counterfoil server for it, --sign lets the \
            simulator sign: --offer save20 --sign, for somebody who is or was subscribed. --introductory-signature takes the JWS by which a server decides about the introductory offer.

            EXAMPLES
              counterfoil simulator buy anna premium.monthly
              counterfoil simulator buy anna coins.100 --quantity 3 --environment sandbox
              counterfoil simulator buy ben premium.monthly --offer WELCOME --json
              counterfoil simulator buy carl unlock --no-account-token
            """)

    @Argument(help: ArgumentHelp("The customer's name.", valueName: "customer")) var customer: String
    @Argument(help: ArgumentHelp("The product's identifier, or the end of it.", valueName: "product")) var product:
        String
    @Option(help: ArgumentHelp("How many, of a consumable.", valueName: "n")) var quantity: Int?
    @Option(help: ArgumentHelp("The offer to redeem.", valueName: "id")) var offer: String?
    @Option(help: ArgumentHelp("The signature of a promotional offer.", valueName: "jws|json")) var signature: String?
    @Option(help: ArgumentHelp("Who gets the introductory offer, signed.", valueName: "jws"))
    var introductorySignature: String?
    @Option(help: ArgumentHelp("The server that signs the promotional offer.", valueName: "url")) var signBy: String?
    @Option(
        help: ArgumentHelp("A file with a key of that server's API; $COUNTERFOIL_KEY otherwise.", valueName: "file"))
    var key: String?
    @Flag(help: "Let the simulator sign the promotional offer.") var sign = false
    @Option(help: ArgumentHelp("The account that the purchase names.", valueName: "uuid")) var accountToken: String?
    @Flag(help: "Let the purchase name no account.") var noAccountToken = false
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    func validate() throws {
        guard accountToken == nil || !noAccountToken else {
            throw ValidationError("--account-token and --no-account-token exclude each other.")
        }
        guard [signature != nil, signBy != nil, sign].count(where: { $0 }) < 2 else {
            throw ValidationError("--signature, --sign-by and --sign exclude each other.")
        }
        guard offer != nil || signBy == nil && !sign else {
            throw ValidationError("--sign and --sign-by are for an --offer.")
        }
        _ = try account()
        _ = try givenSignature()
    }

    /// What was said about the account, if anything.
    private func account() throws -> AppAccountToken? {
        guard !noAccountToken else { return .absent }
        return try accountToken.map { text in
            guard let id = UUID(uuidString: text) else {
                throw ValidationError("--account-token takes a UUID, not \(text).")
            }
            return AppAccountToken(id)
        }
    }

    func run() async throws {
        let client = try await options.client()
        let product = try await client.product(product, in: environment.environment)
        let command = StoreCommand.purchase(
            customer: customer, product: product, quantity: quantity, offer: offer, appAccountToken: try account(),
            signature: try await signature(for: product, client), introductorySignature: introductorySignature,
            sign: sign ? true : nil)
        let data = try await client.send("POST", [environment.environment.rawValue, "commands"], body: command)
        try OutcomeReport.print(data, options)
    }

    /// The signature as it was typed, if it was.
    private func givenSignature() throws -> OfferSignature? {
        guard let signature else { return nil }
        guard signature.hasPrefix("{") else { return .jws(signature) }
        do { return try JSONDecoder().decode(OfferSignature.self, from: Data(signature.utf8)) } catch {
            throw ValidationError("--signature takes a JWS, or JSON with keyId, nonce, timestamp and signature.")
        }
    }

    private struct Request: Encodable {
        let product_id: String
        let offer_id: String
    }

    private struct Answer: Decodable { let jws: String }

    /// The signature to hand over: the one that was given, or the server's.
    private func signature(for product: String, _ client: ControlClient) async throws -> OfferSignature? {
        guard let signBy, let offer else { return try givenSignature() }
        let server = try ServerClient(url: signBy, keyFile: key)
        let (name, store) = (environment.environment.rawValue, environment.environment.environment)
        var account = accountToken?.lowercased()
        if account == nil {
            account = try await client.call("GET", [name, "customers", customer], as: CustomerState.self)
                .appAccountToken
        }
        guard let account else {
            throw Refusal(message: "\(customer.printable) has no account token, by which the server knows customers")
        }
        let body = try JSONEncoder().encode(Request(product_id: product, offer_id: offer))
        let answer: Answer = try await server.call(
            "POST", "/v1/customers/\(account)/offers/promotional?environment=\(store.rawValue)", body)
        return .jws(answer.jws)
    }
}
