import ArgumentParser
import Foundation
import StoreSimulator

/// `counterfoil simulator catalogue`: prints the catalogue that the simulator uses by default.
struct CatalogueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue", abstract: "Print the example catalogue as YAML, to start from.",
        discussion: """
            The simulator sells these products unless --catalogue names a file with others. They have every type of \
            product and offer, and comments.

            EXAMPLES
              counterfoil simulator catalogue > products.yaml
            """)

    func run() { Output.line(Catalogue.exampleYAML.trimmingCharacters(in: .newlines)) }
}
