import TestSupport
import Testing

@Suite struct `Wrong usage` {
    /// Lines and the beginnings of their errors. In a line, `␣` is a space in an argument, and `''` an empty argument.
    private static let cases: [(String, String)] = [
        ("--unknown", "Unknown option '--unknown'"), ("receipt - --unknown", "Unknown option '--unknown'"),
        ("verify", "Missing expected argument '<file>'"), ("receipt", "Missing expected argument '<file>'"),
        ("verify ''", "Name a file: the argument is empty."), ("receipt ''", "Name a file: the argument is empty."),
        ("verify /dev/full/x", "/dev/full/x does not exist."),
        ("verify a b", "Name one file."), ("receipt a b", "Name one file."),
        ("verify - --as-of yesterday", "The value 'yesterday' is invalid for '--as-of <instant>'"),
        ("receipt - --as-of 2025-13-01", "The value '2025-13-01' is invalid for '--as-of <instant>'"),
        ("verify - --environment xcode", "The value 'xcode' is invalid for '--environment <name>'"),
        ("receipt - --environment Production␣", "The value 'Production ' is invalid for '--environment <name>'"),
        ("verify - --app-apple-id 1", "--app-apple-id needs one --app"),
        ("verify - --app-apple-id 1 --app a --app b", "--app-apple-id needs one --app"),
        ("verify - --app-apple-id x --app a", "The value 'x' is invalid for '--app-apple-id <n>'"),
        ("verify - --revocation maybe", "The value 'maybe' is invalid for '--revocation <policy>'"),
        ("verify - --root /nowhere", "--root: cannot read /nowhere"),
        ("receipt - --root /nowhere", "--root: cannot read /nowhere"),
        ("receipt - --root /dev/null", "--root: cannot read /dev/null"),
        ("receipt - --root", "Missing value for '--root <file>'"),
        ("receipt - --intermediate /nowhere", "--intermediate: cannot read /nowhere"),
        ("receipt - --xcode-certificate /nowhere", "--xcode-certificate: cannot read /nowhere"),
        ("receipt - --xcode-certificate /dev/null", "--xcode-certificate: cannot read /dev/null"),
        ("receipt - --device-id xy", "The value 'xy' is invalid for '--device-id <hex>'"),
        ("receipt - --device-id 0102", "The value '0102' is invalid for '--device-id <hex>'"),
        ("receipt - --device-id ''", "The value '' is invalid for '--device-id <hex>'"),
        ("receipt - --transaction-id --verify-receipt", "--transaction-id and --verify-receipt exclude each other"),
        ("receipt - --verify-receipt --app a", "verifyReceipt checks no app and no device"),
        ("receipt - --transaction-id --app a", "--transaction-id verifies nothing"),
        ("receipt - --transaction-id --environment sandbox", "--transaction-id verifies nothing"),
        ("receipt - --transaction-id --as-of now", "--transaction-id verifies nothing"),
        ("verify - --simulator --app com.example.app", "--simulator cannot be combined with --app"),
        ("verify - --simulator --root root.cer", "--simulator cannot be combined with --app, --root"),
        ("api transaction 1 --private-key key.p8", "--key-id is missing"),
        ("api transaction 1 --private-key key.p8 --key-id ABC --issuer-id i", "--app is missing"),
        ("api transaction 1 --app com.example.app", "--app needs a key"),
        ("api transaction 1 --base-url http://127.0.0.1:1", "--base-url needs a key"),
        ("api transaction 1 --config c.yaml --simulator store", "Use only one of --config, --simulator"),
        ("api transaction 1 --config c.yaml --key-id ABC", "Use only one of --config, --simulator"),
        ("server init somewhere", "A simulator's folder goes after --simulator"),
        ("server check a b", "Unexpected argument 'b'"),
        ("server check --app com.example.app", "--app limits --online, which is missing."),
        ("server check a.yaml --config b.yaml", "Name one configuration, not two."),
        ("server run --port 65536", "--port takes 0 to 65535."),
        ("server run --port=-1", "--port takes 0 to 65535."),
        ("server import -", "Name a file instead of -: an interrupted import has to read it again."),
        ("server recover --from 2026-01-01 --key /dev/null", "--key needs --url"),
        ("server recover --from 2026-01-01 --to 2026-01-01", "--from must be before --to."),
        ("server recover --to 2026-01-01", "--to, --type and --url need --from."),
        ("server recover --type EXPIRED", "--to, --type and --url need --from."),
        ("server recover --url http://127.0.0.1:1", "--to, --type and --url need --from."),
        ("server recover --from 2026-01-01 --type RENEW", "--type: RENEW is not a notification type"),
        ("server get v1/audit --url http://127.0.0.1:1 --key /dev/null", "The path must begin with /v1/"),
        ("server get /v1/a␣b --url http://127.0.0.1:1 --key /dev/null", "The path must begin with /v1/"),
        ("server get /v1/audit#x --url http://127.0.0.1:1 --key /dev/null", "The path must begin with /v1/"),
        ("server get /v1/audit --url http://127.0.0.1:1 --key /dev/null", "/dev/null is not a key of the server's API"),
        ("server get /v1/audit --url http://127.0.0.1:1 --key cfk_x", "--key takes a file with the key"),
        ("server segments --csv", "Name a segment, such as will_not_renew."),
        ("server segments --within-days 7", "Name a segment, such as will_not_renew."),
        ("server segments --reason cancelled", "Name a segment, such as will_not_renew."),
        ("server segments --limit 5", "Name a segment, such as will_not_renew."),
        ("server segments will_not_renew --limit 0", "--limit takes a number from 1."),
        ("server segments will_not_renew --within-days 0", "--within-days takes a number from 1 to 3660."),
        ("server segments will_not_renew --within-days 3661", "--within-days takes a number from 1 to 3660."),
        ("ledger backup --output -", "Name a file instead of -: a backup is checked on disk."),
        ("server get /v1/audit --url localhost:8080 --key /dev/null", "--url takes an http or https URL"),
        ("server segments --url https:// --key /dev/null", "--url takes an http or https URL"),
        ("server segments --url https://maria:word@example.com --key /dev/null", "--url takes an http or https URL"),
        ("server keys create --name x", "Missing expected argument '--scope <scope> ...'"),
        ("server keys create --scope all", "Missing expected argument '--name <name>'"),
        ("server keys create --name x␣y --scope all", "--name takes 1 to 100 letters"),
        ("server keys create --name x --scope nonsense", "The value 'nonsense' is invalid for '--scope <scope>'"),
        ("server keys create --name x --scope all --public", "A public key can have only the scopes"),
        (
            "server keys create --name x --scope all --environment xcode",
            "The value 'xcode' is invalid for '--environment <name>'"
        ),
    ]

    private static let simulatorCases: [(String, String)] = [
        ("--port 70000", "--port takes 0 to 65535"),
        ("--clock sometimes", "The value 'sometimes' is invalid for '--clock <mode>'"),
        ("--notify nowhere", "--notify takes an http or https URL"), ("trigger", "Name a notification type"),
        ("trigger REFUND --list", "Name a notification type"),
        ("trigger --list --customer anna", "Name a notification type"),
        ("clock advance", "Name a duration"), ("clock advance soon", "soon is not a duration"),
        ("clock advance 1d --to 2027-01-01T00:00:00Z", "Name a duration such as 31d, or an instant"),
        ("listen --count 0", "--count takes a number from 1"),
        ("scenario run no-such-scenario", "no-such-scenario is neither a file nor a scenario"),
        ("scenario run upgrade --alone --simulator /nowhere", "--alone and --simulator exclude each other"),
        ("scenario run upgrade --catalogue /dev/null", "--catalogue needs --alone"),
        ("scenario show none", "none is not a scenario"),
        ("customers --account-token", "--account-token needs the name of a customer"),
        ("buy anna", "Missing expected argument '<product>'"),
        ("buy anna unlock --account-token anna", "--account-token takes a UUID, not anna"),
        ("buy anna unlock --account-token +b4e6f80-1c3d-4e5f-8a9b-0c1d2e3f4a5b", "--account-token takes a UUID"),
        (
            "buy anna unlock --account-token 2b4e6f80-1c3d-4e5f-8a9b-0c1d2e3f4a5b --no-account-token",
            "--account-token and --no-account-token exclude each other"
        ),
        ("buy anna p --offer o --key /dev/null", "--key needs --sign-by"),
        ("fault add route:* drop --probability 2", "--probability takes a number from 0 to 1"),
        ("fault add route:* drop --probability nan", "--probability takes a number from 0 to 1"),
        ("fault add route:* drop --count 0", "--count takes a number from 1"),
        ("raise-price p 9,99", "The value '9,99' is invalid for '<price>'"),
        ("raise-price p 1000000000.001", "The value '1000000000.001' is invalid for '<price>'"),
        // The second digit is Arabic.
        ("raise-price p 1\u{662}", "The value '1\u{662}' is invalid for '<price>'"),
        ("revocation", "Missing expected argument '<certificate>'"),
        ("revocation leaf", "Missing expected argument '<status>'"),
        ("revocation root good", "The value 'root' is invalid for '<certificate>'"),
        ("revocation leaf nothing", "The value 'nothing' is invalid for '<status>'"),
        ("revocation leaf good --seconds 3", "--seconds needs the status slow"),
        ("revocation leaf slow --seconds nan", "--seconds takes 0 to 600"),
    ]

    @Test(arguments: cases + simulatorCases.map { ("simulator \($0)", $1) })
    func `Wrong usage ends with status 2 and says what is wrong, on standard error alone`(
        _ line: String, _ error: String
    ) async throws {
        let arguments = line.split(separator: " ").map { $0 == "''" ? "" : String($0).replacing("␣", with: " ") }
        let outcome = try await Command.run(arguments)
        #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome.text)")
        #expect(outcome.errors.hasPrefix("Error: \(error)"), "\(outcome.errors)")
    }
}
