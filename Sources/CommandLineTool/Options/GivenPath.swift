import ArgumentParser

/// A path that a person or a script gives.
enum GivenPath {
  /// Refuses an empty one, as comes of a variable that was never set: the system's calls take it for the folder that
  /// the process is in.
  static func text(_ word: String) throws -> String {
    guard !word.isEmpty else {
      throw ValidationError("a path has at least one character; '.' is the folder that you are in")
    }
    return word
  }
}
