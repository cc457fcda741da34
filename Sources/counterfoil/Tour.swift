import ArgumentParser
struct Tour: AsyncParsableCommand {
    func run() async throws {}
}
