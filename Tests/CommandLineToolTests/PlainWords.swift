import Foundation
import Testing

/// Words of a shop that an encrypted folder must not show.
///
/// Each has at least six letters. Shorter ones turn up in ciphertext by chance: three letters of base64 once in some
/// hundred folders.
struct PlainWords {
  /// Its place, an attribute, a value, and the beginning of a change set.
  static let shop = PlainWords(["group.example", "colour", "example.org", "TNDMCSET"])

  let words: [String]

  init(_ words: [String]) {
    precondition(words.allSatisfy { $0.utf8.count >= 6 }, "a word is so short that ciphertext holds it by chance")
    self.words = words
  }

  /// Files and folders below a folder that hold a word or are named after it: the word, a colon, the path.
  func places(in folder: String) throws -> [String] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
    #expect(!paths.isEmpty, "\(folder) is empty, so it hides nothing")
    return paths.flatMap { path in
      let content = try? Data(contentsOf: URL(fileURLWithPath: folder + "/" + path))
      return words.filter { word in
        path.contains(word) || content?.range(of: Data(word.utf8)) != nil
      }.map { "\($0): \(path)" }
    }
  }
}
