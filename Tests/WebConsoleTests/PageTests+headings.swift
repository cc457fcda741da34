import Testing
import WebConsole

extension `Pages` {
    @Test func `In a heading and in the choice of the app, a name breaks only after its dots`() throws {
        let shell = Self.shell {
            $0.foreignHeading = "com.example.monthly"
            $0.choices = [.init(of: "com.example.app", [.init("Sandbox", PageLink("console"), isCurrent: true)])]
        }
        let html = try PageLibrary([:]).page("message", ["links": []], in: shell)
        #expect(html.contains("<bdi>com.<wbr>example.<wbr>monthly</bdi></h1>"))
        #expect(html.contains("<bdi>com.<wbr>example.<wbr>app</bdi></span>"))
        #expect(html.contains("<title>com.example.monthly · "))
    }
}
