enum ControlDescription { static let text = "" }
