import ArgumentParser
import AsyncHTTPClient
@main
struct Counterfoil: ParsableCommand {
}
