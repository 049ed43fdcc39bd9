import StoreInspection

/// A page of the manual in the macros of man(7), from the description that the argument parser gives of a command.
struct ManualPage {
  var fileName: String
  var text: String

  /// One for the program and one for each command, those below others included.
  ///
  /// - Parameter day: The date of the pages, as 2026-11-26.
  static func pages(of root: JSON, version: String, day: String) -> [ManualPage] {
    pages(of: root, path: [], footer: "\"\(day)\" \"\(version)\" \"User Commands\"")
  }

  private static func pages(of command: JSON, path: [String], footer: String) -> [ManualPage] {
    let path = path + [command["commandName"]?.stringValue ?? ""]
    let below = (command["subcommands"]?.arrayValue ?? []).filter {
      CommandDescription.isShown($0) && $0["commandName"] != .string("help")
    }
    return [ManualPage(command, path, below, footer)] + below.flatMap { pages(of: $0, path: path, footer: footer) }
  }

  private init(_ command: JSON, _ path: [String], _ below: [JSON], _ footer: String) {
    let name = path.joined(separator: "-")
    fileName = "\(name).1"
    let arguments = (command["arguments"]?.arrayValue ?? []).filter { CommandDescription.isShown($0) }
    var lines = [
      ".TH \"\(name.uppercased())\" 1 \(footer)", ".SH NAME",
      "\(name) \\- \(ManualPage.escaped(command["abstract"]?.stringValue ?? ""))", ".SH SYNOPSIS",
      ".B \(path.joined(separator: " "))",
    ]
    lines += arguments.map { ManualPage.synopsis(of: $0) } + (below.isEmpty ? [] : [".I command"])
    if let discussion = command["discussion"]?.stringValue {
      // As it stands: examples and tables lose their meaning where lines are filled.
      lines +=
        [".SH DESCRIPTION", ".nf"]
        + discussion.split(separator: "\n", omittingEmptySubsequences: false)
        .map { ManualPage.line(String($0)) } + [".fi"]
    }
    if !arguments.isEmpty { lines += [".SH OPTIONS"] + arguments.flatMap { ManualPage.description(of: $0) } }
    if !below.isEmpty {
      let names = below.compactMap { $0["commandName"]?.stringValue }
      lines += [".SH SEE ALSO", names.map { ".BR \(name)-\($0) (1)" }.joined(separator: ",\n")]
    }
    text = lines.joined(separator: "\n") + "\n"
  }

  /// `[--sort fields]`, `store`, `[id ...]`.
  private static func synopsis(of argument: JSON) -> String {
    let value = escaped(argument["valueName"]?.stringValue ?? "")
    let dots = argument["isRepeating"] == .bool(true) ? " ..." : ""
    let name = escaped(CommandDescription.names(of: argument).last ?? "")
    let text =
      switch argument["kind"]?.stringValue {
      case "positional": "\\fI\(value)\\fR\(dots)"
      case "flag": "\\fB\(name)\\fR"
      default: "\\fB\(name)\\fR \\fI\(value)\\fR"
      }
    return argument["isOptional"] == .bool(true) ? "[\(text)]" : text
  }

  private static func description(of argument: JSON) -> [String] {
    let value = escaped(argument["valueName"]?.stringValue ?? "")
    let names = CommandDescription.names(of: argument).map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", ")
    let head =
      switch argument["kind"]?.stringValue {
      case "positional": "\\fI\(value)\\fR"
      case "flag": names
      default: "\(names) \\fI\(value)\\fR"
      }
    let words = ["abstract", "discussion"].compactMap { argument[$0]?.stringValue }
    return [".TP", head] + words.flatMap { $0.split(separator: "\n").map { line(String($0)) } }
  }

  /// Signs with a meaning for roff, and those that it would print as typographic ones; letters beyond ASCII by number.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\\": "\\e"
      case "-": "\\-"
      case "'": "\\(aq"
      case "`": "\\(ga"
      case "^": "\\(ha"
      case "~": "\\(ti"
      default: scalar.isASCII ? String(scalar) : "\\[u\(hexadecimal(scalar.value))]"
      }
    }.joined()
  }

  private static func hexadecimal(_ number: UInt32) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// A line that begins with the sign of a request is text all the same; an empty one is a paragraph's end.
  private static func line(_ text: String) -> String {
    let text = escaped(text)
    return text.hasPrefix(".") ? "\\&" + text : text
  }
}
