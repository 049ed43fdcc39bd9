import Foundation

/// A place in the words of rclone: `NAME:path`, or a connection string with parameters, `:TYPE,key=value,…:path`.
struct RcloneRemote: Hashable, Sendable {
  let text: String
  /// Without the parameters, of which some are secrets.
  let name: String
  private let secrets: [String]

  /// Throws ``SyncError`` `unknownPlace` for other texts: without a name rclone takes them for paths of this machine.
  init(_ text: String) throws {
    guard !text.hasPrefix("-"), !text.contains("\0"), !text.contains("\n"),
      let colon = RcloneRemote.endOfName(text)
    else {
      throw SyncError(
        .unknownPlace,
        "'\(RcloneRemote.shown(text))' is no remote of rclone: write NAME:path, with a NAME that 'rclone listremotes' "
          + "shows; for a folder of this machine use --folder")
    }
    let (head, path) = (text[..<colon], text[colon...])
    let parameters = head.split(separator: ",", omittingEmptySubsequences: false)
    self.text = text
    name = (parameters.first ?? "") + (parameters.count > 1 ? ",…" : "") + path
    secrets = parameters.dropFirst().compactMap { parameter in
      guard let equals = parameter.firstIndex(of: "=") else { return nil }
      let value = parameter[parameter.index(after: equals)...].trimmingCharacters(in: CharacterSet(charactersIn: "\"'"))
      return value.count > 2 ? value : nil
    }
  }

  /// A sentence of rclone without secrets: parameters of the remote, and what URLs say of users and signatures.
  func redacted(_ sentence: String) -> String {
    var result = sentence.replacingOccurrences(of: text, with: name)
    for secret in secrets { result = result.replacingOccurrences(of: secret, with: "…") }
    result = result.replacing(#/://[^/@\s"]+@/#, with: "://…@")
    return result.replacing(#/(://[^\s"?]+)\?[^\s"]+/#) { "\($0.output.1)?…" }
  }

  /// The colon that ends the name: the first one outside of quotes, and not the one in front of a type.
  private static func endOfName(_ text: String) -> String.Index? {
    var quote: Character?
    for index in text.indices.dropFirst() {
      let character = text[index]
      if character == quote {
        quote = nil
      } else if quote == nil {
        if character == "\"" || character == "'" { quote = character }
        if character == "/", !text.hasPrefix(":") { return nil }
        if character == ":" { return index }
      }
    }
    return nil
  }

  /// For the refusal of a text: it may have parameters, too.
  private static func shown(_ text: String) -> String {
    text.prefix { $0 != "," && $0 != "\n" } + (text.contains(",") ? ",…" : "")
  }
}
