import ArgumentParser
import AstroSvitla

/// How the circle is divided.
struct HouseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("placidus or equal.", discussion: "Beyond the polar circles Placidus has no answer."),
    transform: system)
  var houses: HouseSystem = .placidus

  @Sendable private static func system(_ text: String) throws -> HouseSystem {
    guard let system = HouseSystem(rawValue: text) else { throw ValidationError("the houses are placidus or equal") }
    return system
  }
}
