public import Foundation

/// A scenario file that cannot be understood, or a step that cannot be carried out. The message names the place.
public struct ScenarioError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  public var message: String
  public init(_ message: String) { self.message = message }
  public var description: String { message }
  public var errorDescription: String? { message }
}
