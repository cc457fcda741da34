/// What the pages of the server and of the simulator share: templates and their values, the frame of every page, assets,
/// the check of where a request comes from, live updates, forms that are sent once, sign-in and sessions.
package enum WebConsole {}
