// Verifies each response on standard input with the client's code and the replacement for CryptoKit, and prints true or false.
// Scripts/check-storekit compiles it into the client.
// swift-format-ignore-file
import Foundation

struct Case: Decodable {
    let keys: [Data]
    let header: String?
    let customer: String
    let nonce: String
    let body: Data
}

@main
enum Prove {
    static func main() throws {
        for one in try JSONDecoder().decode([Case].self, from: FileHandle.standardInput.readDataToEndOfFile()) {
            print(ResponseVerifier(keys: one.keys).verifies(one.header, of: one.customer, one.nonce, one.body))
        }
    }
}
