import Testing
import WebConsole

@Suite struct WebConsoleTests {}
