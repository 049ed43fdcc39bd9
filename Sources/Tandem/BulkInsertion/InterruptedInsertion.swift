public import Foundation

/// An insertion in chunks that ended early: some of its rows are saved, and stay.
///
/// ```swift
/// do {
///   try context.insertAll(Receipt.self, rest, chunk: 1, fill)
/// } catch let interrupted as InterruptedInsertion {
///   rest = rest.dropFirst(interrupted.savedRows)  // to go on with, once `interrupted.cause` is mended
/// }
/// ```
///
/// An insertion that is one save throws the cause itself, because nothing of it is in the store then.
public struct InterruptedInsertion: Error {
  /// How many rows are saved: the first so many.
  public let savedRows: Int
  /// Why it ended: `CancellationError`, a `SwiftDataError`, or what the rows or the closure threw.
  public let cause: any Error
}

extension InterruptedInsertion: LocalizedError, CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    "the insertion ended early, and its first \(savedRows) rows are saved: go on behind them once the cause is mended "
      + "(\(cause))"
  }
  /// The same as ``description``.
  public var errorDescription: String? { description }
}
