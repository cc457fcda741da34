/// The OpenAPI description.
enum ControlDescription { static let text = "" }
