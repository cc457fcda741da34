import AppStoreServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite(.enabled(if: PythonEnvironment.isEnabled, "\(PythonEnvironment.absence)"))
struct `Signed data verified by Apple's Python library` {
    @Test(arguments: SignedKind.allCases)
    func `Apple's library accepts what our authority signs, in strict mode`(_ kind: SignedKind) async throws {
        let refusals = try await Interop.results.value.refusals
        #expect(refusals["\(kind) for the sandbox"] == nil)
        #expect(refusals["\(kind) for production"] == nil)
    }

    @Test(arguments: SignedKind.allCases)
    func `Our verifier accepts what Apple's library signs`(_ kind: SignedKind) async throws {
        let text = try #require(try await Interop.results.value.signed[kind.rawValue])
        _ = try await TestStore.verifier().trace(of: text, as: kind)
    }

    @Test func `Apple's library refuses our forgeries, except for documented differences`() async throws {
        let refusals = try await Interop.results.value.refusals
        let accepted = Set(VerificationCases.forgeries.map(\.name).filter { refusals[$0] == nil })
        let named = Set(InteropDifferences.onlyWeRefuse.flatMap(\.names))
        #expect(accepted.subtracting(named).sorted() == [], "undocumented differences")
        #expect(named.subtracting(accepted).sorted() == [], "documented differences that no longer exist")
    }

    @Test func `Apple's library accepts our valid texts, except for documented differences`() async throws {
        let refusals = try await Interop.results.value.refusals
        let refused = Set(VerificationCases.accepted.map(\.name).filter { refusals[$0] != nil })
        let named = Set(InteropDifferences.onlyTheyRefuse.flatMap(\.names))
        #expect(refused.subtracting(named).sorted() == [], "undocumented differences")
        #expect(named.subtracting(refused).sorted() == [], "documented differences that no longer exist")
    }

    @Test func `Apple's library verified every case, and every difference has a reason`() async throws {
        let verdicts = try await Interop.results.value.verdicts
        #expect(verdicts.count == VerificationCases.forgeries.count + VerificationCases.accepted.count)
        #expect(InteropDifferences.onlyWeRefuse.allSatisfy { !$0.reason.isEmpty && !$0.names.isEmpty })
    }
}
