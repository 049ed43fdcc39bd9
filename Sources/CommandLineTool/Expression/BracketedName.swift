/// Names with blanks, commas or signs in them: `[first name]` is the name `first name`, and `]]` in it a `]`.
enum BracketedName {
  /// Takes what stands between a `[`, with which the text begins, and its `]`, and both of them. Nil where none closes
  /// it, and then nothing is taken.
  static func take(from text: inout ArraySlice<Character>) -> String? {
    var rest = text.dropFirst()
    var name = ""
    while let character = rest.popFirst() {
      guard character == "]" else {
        name.append(character)
        continue
      }
      guard rest.first == "]" else {
        text = rest
        return name
      }
      name.append("]")
      rest = rest.dropFirst()
    }
    return nil
  }

  /// A name without its brackets. One with commas outside of them stays as it is.
  static func single(_ text: String) -> String {
    let names = list(text)
    return names.count == 1 ? names[0] : text
  }

  /// The names of a list that is separated by commas, without the brackets: of fields, with a `-` before them or a
  /// function around them. A bracket that nothing closes is part of its name.
  static func list(_ text: String) -> [String] {
    var rest = Array(text)[...]
    var names: [String] = []
    var name = ""
    var isBegun = false
    func end() {
      if isBegun { names.append(name) }
      (name, isBegun) = ("", false)
    }
    while let character = rest.first {
      if character == "[", name.isEmpty || name == "-" || name.hasSuffix(".") || name.hasSuffix("("),
        let bracketed = take(from: &rest)
      {
        name += bracketed
        isBegun = true
        continue
      }
      rest = rest.dropFirst()
      if character == "," {
        end()
        continue
      }
      isBegun = true
      if character != " " || !name.isEmpty { name.append(character) }
    }
    end()
    return names
  }
}
