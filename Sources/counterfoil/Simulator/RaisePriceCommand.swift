import ArgumentParser
import StoreSimulator

/// `counterfoil simulator raise-price`.
struct SimulatorRaisePrice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "raise-price", abstract: "Raise the price of a subscription for those who have it.",
        discussion: """
            A customer agrees with `counterfoil simulator do` and the command acceptPrice.

            EXAMPLES
              counterfoil simulator raise-price premium.monthly 12.99
              counterfoil simulator raise-price premium.monthly 12.99 --consent false
            """)

    @Argument(help: ArgumentHelp("The product, or the end of its identifier.", valueName: "product")) var product:
        String
    @Argument(
        help: ArgumentHelp("The new price in the storefront's currency, such as 12.99.", valueName: "price"),
        transform: Self.thousandths)
    var price: Int64
    @Option(help: ArgumentHelp("Whether customers have to agree.", valueName: "true|false")) var consent = true
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    /// Converts a price such as `12.99` to thousandths, as store commands take it.
    private static func thousandths(_ text: String) throws -> Int64 {
        do { return try PriceParser.read(text) } catch { throw ValidationError("\(error.message).") }
    }

    func run() async throws {
        let client = try await options.client()
        let command = StoreCommand.increasePrice(
            product: try await client.product(product, in: environment.name), price: price, consent: consent)
        try await client.perform(command, in: environment, options)
    }
}
