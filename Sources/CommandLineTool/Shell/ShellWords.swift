/// Cuts a line into words as a shell does: blanks separate, quotes and backslashes keep them.
enum ShellWords {
  static func words(of line: String) throws(CommandFailure) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var isEscaped = false
    for character in line {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
        word = word ?? ""
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if quote == nil, character.isWhitespace {
        if let finished = word { words.append(finished) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let quote { throw CommandFailure("the line has no closing \(quote); add it") }
    if isEscaped { throw CommandFailure("the line ends in a backslash; take it away, or write two") }
    return words + (word.map { [$0] } ?? [])
  }
}
