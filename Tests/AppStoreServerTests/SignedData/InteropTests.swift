import AppStoreServer
import Foundation
import StoreSimulator
import Testing
import TestSupport

@Suite(.enabled(if: PythonEnvironment.isWanted, "\(PythonEnvironment.absence)"))
struct `A second opinion by Apple's Python library` {
    @Test(arguments: SignedKind.allCases)
    func `it accepts what our authority signs, in its strict mode`(_ kind: SignedKind) async throws {
        let refusals = try await Interop.answers.value.refusals
        #expect(refusals["\(kind) for the sandbox"] == nil)
        #expect(refusals["\(kind) for production"] == nil)
    }

    @Test(arguments: SignedKind.allCases)
    func `we accept what it signs`(_ kind: SignedKind) async throws {
        let text = try #require(try await Interop.answers.value.signed[kind.rawValue])
        _ = try await TestStore.verifier().trace(of: text, as: kind)
    }

    @Test func `it refuses the forgeries that we refuse, but for the differences named`() async throws {
        let refusals = try await Interop.answers.value.refusals
        let accepted = Set(Specimens.forgeries.map(\.name).filter { refusals[$0] == nil })
        let named = Set(InteropDifferences.onlyWeRefuse.flatMap(\.names))
        #expect(accepted.subtracting(named).sorted() == [], "new differences")
        #expect(named.subtracting(accepted).sorted() == [], "differences that are gone")
    }

    @Test func `it accepts what we accept, but for the differences named`() async throws {
        let refusals = try await Interop.answers.value.refusals
        let refused = Set(Specimens.accepted.map(\.name).filter { refusals[$0] != nil })
        let named = Set(InteropDifferences.onlyTheyRefuse.flatMap(\.names))
        #expect(refused.subtracting(named).sorted() == [], "new differences")
        #expect(named.subtracting(refused).sorted() == [], "differences that are gone")
    }

    @Test func `every specimen was put to it, and every difference has a reason`() async throws {
        let verdicts = try await Interop.answers.value.verdicts
        #expect(verdicts.count == Specimens.forgeries.count + Specimens.accepted.count)
        #expect(InteropDifferences.onlyWeRefuse.allSatisfy { !$0.reason.isEmpty && !$0.names.isEmpty })
    }
}
