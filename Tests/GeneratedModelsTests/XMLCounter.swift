import Foundation
import FoundationXML

/// Counts the elements of a text by their attribute `class`; tells whether the text is XML at all.
final class XMLCounter: NSObject, XMLParserDelegate {
  private(set) var classes: [String: Int] = [:]

  func parse(_ text: String) -> Bool {
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    return parser.parse()
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    if let kind = attributes["class"] { classes[kind, default: 0] += 1 }
  }
}
