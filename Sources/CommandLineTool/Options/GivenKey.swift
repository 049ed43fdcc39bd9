import ArgumentParser

/// A key that a person or a script gives.
enum GivenKey {
  /// Refuses an empty one, which no key is: it would be waited for for ever.
  static func text(_ word: String) throws -> String {
    guard !word.isEmpty else { throw ValidationError("a key has at least one character") }
    return word
  }
}
