import Testing

@testable import counterfoil

@Suite struct `Colours of the output` {
    @Test(
        arguments: [
            ([:], true), (["TERM": "xterm-256color"], true), (["NO_COLOR": ""], true), (["NO_COLOR": "1"], false),
            (["NO_COLOR": "0", "TERM": "xterm"], false), (["TERM": "dumb"], false),
        ] as [([String: String], Bool)])
    func `A terminal gets colours unless NO_COLOR has a value or the terminal is dumb`(
        _ environment: [String: String], _ allows: Bool
    ) {
        #expect(Style.allowsColour(environment) == allows)
    }
}
