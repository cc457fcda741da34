/// What the pages of the server and of the simulator share.
package enum WebConsole {}
