import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// A simulator over HTTP.
@Suite struct SimulatorTests {
    @Test func `The API lists thirteen transactions after a year of a monthly subscription`() async throws {
        let simulator = try await Simulator.start(.frozen)
        let bought = try await simulator.perform(
            .purchase(customer: "anna", product: "com.example.basic.monthly"))
        let report = try await simulator.advance(by: Period.year)
        #expect(report.to == Period.year.date(after: report.from))

        let client = try simulator.client(.production)
        var history: [String] = []
        for try await transaction in try client.transactionHistory(of: #require(bought.transactionID)).items {
            history.append(transaction)
        }
        #expect(history.count == 13)
        await simulator.stop()
    }

    @Test(arguments: [-1e12, -568_080_001, 7_258_118_401, 1e12, .infinity, .nan])
    func `A frozen clock that does not start between 1952 and 2199 is refused`(_ seconds: TimeInterval) async throws {
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(Date(timeIntervalSince1970: seconds))
        let refused = configuration
        let error = await #expect(throws: SimulatorError.self) { _ = try await Simulator.start(refused) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `A start in a folder with a damaged file names the file`() async throws {
        try await Tool.inTemporaryFolder { folder in
            try Data("{".utf8).write(to: folder.appending(path: "authority.json"))
            var configuration = SimulatorConfiguration.frozen
            configuration.directory = folder
            let damaged = configuration
            let error = await #expect(throws: SimulatorError.self) { _ = try await Simulator.start(damaged) }
            #expect(error == SimulatorError(.corrupted, "authority.json is damaged"))
        }
    }

    @Test func `A start in a folder where simulator.json cannot be written throws an error`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "simulator.json")
            try FileManager.default.createDirectory(
                at: file.appending(path: "file"), withIntermediateDirectories: true)
            var configuration = SimulatorConfiguration.frozen
            configuration.directory = folder
            let unwritable = configuration
            let error = await #expect(throws: SimulatorError.self) { _ = try await Simulator.start(unwritable) }
            #expect(error?.code == .unwritableDirectory && error?.message.contains("simulator.json") == true)
        }
    }

    @Test func `An invalid key identifier is refused with an error of the simulator`() async throws {
        let simulator = try await Simulator.start(.frozen)
        let error = #expect(throws: SimulatorError.self) { try simulator.addAPIKey("../x") }
        #expect(error?.code == .invalidArgument)
        await simulator.stop()
    }

    @Test func `A command or trigger in an environment that the App Store does not have is refused`() async throws {
        let simulator = try await Simulator.start(.frozen)
        for environment in [AppStoreEnvironment.xcode, .localTesting, .init(rawValue: "production")] {
            let refused = await #expect(throws: StoreError.self) {
                try await simulator.perform(.createCustomer(customer: "anna"), in: environment)
            }
            #expect(refused?.code == .invalidArgument)
            #expect(refused?.message == "environment: \"\(environment)\" is none of Production, Sandbox")
            let untriggered = await #expect(throws: StoreError.self) {
                try await simulator.trigger(TriggerRequest(.subscribed, .initialBuy), in: environment)
            }
            #expect(untriggered?.code == .invalidArgument)
        }
        #expect(simulator.states().isEmpty)
        await simulator.stop()
    }

    @Test func `An uncompressed image of the largest size that Apple allows is accepted`()
        async throws
    {
        let simulator = try await Simulator.start(.frozen)
        let end = PNGWriter.chunk("IEND", [])
        let pixels = [UInt8](repeating: 0, count: 3840 * 2160 * 3)
        // The checksum of this chunk is wrong, but is not verified.
        let length = UInt32(pixels.count).bigEndian
        var file = Data(PNGWriter(height: 2160).file.dropLast(end.count))
        withUnsafeBytes(of: length) { file.append(contentsOf: $0) }
        file += Data("IDAT".utf8) + Data(pixels) + Data(repeating: 0, count: 4) + Data(end)

        let client = try simulator.client(.sandbox)
        let id = UUID()
        try await client.uploadImage(file, id: id)
        #expect(try await client.images().imageIdentifiers.map(\.imageIdentifier) == [id])
        await simulator.stop()
    }
}
