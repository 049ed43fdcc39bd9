import Foundation

/// One kind of surroundings.
struct EnvironmentCase: Sendable {
  /// Why a machine cannot play it.
  struct Skip: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  let name: String
  let play: @Sendable (EnvironmentStage) throws -> Void

  static let all: [EnvironmentCase] =
    FullDisks.cases + Limits.cases + ReadOnlyPlaces.cases + OtherUsers.cases + Paths.cases + FileSystems.cases
    + Neighbours.cases + GroupIdentifiers.cases
}
