/// A reader of bytes that come from elsewhere, and what must hold whatever the bytes are.
///
/// For every input the reader either throws one of the error types of its module, or yields a value that is written and
/// read again as the same value. It never traps, and takes time and memory in proportion to the input.
///
/// The harnesses are compiled twice: into the tests, which replay the corpus and mutate it for a while, and into the
/// program of tools/fuzz, where libFuzzer chooses the inputs.
package struct Harness: Sendable {
  /// As tools/fuzz and the corpus' folder name it.
  package let name: String
  /// Larger inputs find nothing more, and take longer.
  package let maximumByteCount: Int
  /// Whether the reader took the input. Throws ``Violation`` where a promise is broken.
  package let run: @Sendable ([UInt8]) throws -> Bool

  /// A harness over what its reader promises; `errors` are the types that the reader may throw.
  init(
    _ name: String, maximumByteCount: Int = 4096, errors: [any Error.Type],
    _ body: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    self.name = name
    self.maximumByteCount = maximumByteCount
    run = { bytes in
      do {
        try body(bytes)
        return true
      } catch let violation as Violation {
        throw violation
      } catch {
        guard errors.contains(where: { $0 == type(of: error) }) else {
          throw Violation("an error of type \(type(of: error)), which callers do not expect: \(error)")
        }
        return false
      }
    }
  }

  package static let all: [Harness] = [
    .record, .key, .catalogue, .history, .transaction, .changeSet, .snapshot, .head, .dump, .csv, .expression,
    .exchange, .age, .keyFile, .family,
  ]

  package static func named(_ name: String) -> Harness? { all.first { $0.name == name } }
}

/// A promise that an input has broken.
package struct Violation: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

/// Throws unless the promise holds.
func promise(_ isKept: Bool, _ sentence: @autoclosure () -> String) throws {
  guard isKept else { throw Violation(sentence()) }
}
