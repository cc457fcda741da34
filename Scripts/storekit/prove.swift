// Says of each answer on standard input whether the client kit takes it for the server's, by the kit's own code and what
// stands in for CryptoKit. Scripts/check-storekit compiles it into the client.
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
            print(AnswerProof(keys: one.keys).proves(one.header, of: one.customer, one.nonce, one.body))
        }
    }
}
