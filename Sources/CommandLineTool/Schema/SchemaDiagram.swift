import RecordStore
import StoreInspection

/// A schema as an SVG picture: a box for each class, a line for each relationship, `*` where it leads to many.
///
/// Lines leave a box at the relationship's own line, and pass behind boxes. Colours follow the viewer's: light or dark.
struct SchemaDiagram {
  private struct Box {
    var type: SchemaOutline.Class
    var x = 0
    var y = 0
    var width = 0
    var rows: [(name: String, kind: String)]
    var height: Int { SchemaDiagram.titleHeight + rows.count * SchemaDiagram.rowHeight + 8 }

    func middle(of name: String?) -> Int {
      guard let place = rows.firstIndex(where: { $0.name == name }) else { return y + SchemaDiagram.titleHeight / 2 }
      return y + SchemaDiagram.titleHeight + place * SchemaDiagram.rowHeight + SchemaDiagram.rowHeight / 2 + 2
    }
  }

  private static let titleHeight = 30
  private static let rowHeight = 20
  private static let gap = 70
  private static let margin = 24
  /// The width of a letter, in the widest of the usual fonts.
  private static let letterWidth = 7.4

  private var boxes: [Box]

  init(_ outline: SchemaOutline) {
    boxes = outline.classes.map { type in
      var box = Box(type: type, rows: SchemaDiagram.rows(of: type))
      let letters = box.rows.map { $0.name.count + $0.kind.count + 3 } + [type.name.count + 4]
      box.width = max(140, Int(Double(letters.max() ?? 0) * SchemaDiagram.letterWidth) + 24)
      return box
    }
    place()
  }

  /// How far each class is from the one with the most neighbours among those that it is joined with; nil without any.
  private func depths() -> [Int?] {
    let places = Dictionary(boxes.indices.map { (boxes[$0].type.name, $0) }) { first, _ in first }
    var neighbours = [Set<Int>](repeating: [], count: boxes.count)
    for index in boxes.indices {
      let type = boxes[index].type
      let names = type.relationships.map(\.destination) + [type.superclass].compactMap(\.self)
      for other in names.compactMap({ places[$0] }) where other != index {
        neighbours[index].insert(other)
        neighbours[other].insert(index)
      }
    }
    var depths = [Int?](repeating: nil, count: boxes.count)
    for root in boxes.indices.sorted(by: { (-neighbours[$0].count, $0) < (-neighbours[$1].count, $1) })
    where depths[root] == nil && !neighbours[root].isEmpty {
      var depth = 0
      var front = [root]
      while !front.isEmpty {
        for index in front { depths[index] = depth }
        front = Set(front.flatMap { neighbours[$0] }).filter { depths[$0] == nil }.sorted()
        depth += 1
      }
    }
    return depths
  }

  private static func rows(of type: SchemaOutline.Class) -> [(name: String, kind: String)] {
    type.attributes.map { attribute in
      (attribute.name, "\(attribute.type)\(attribute.isOptional ? "?" : "")\(attribute.isUnique ? " unique" : "")")
    }
      + type.relationships.map { relationship in
        (
          relationship.name,
          relationship.destination + (relationship.isToMany ? " *" : relationship.isOptional ? "?" : "")
        )
      }
  }

  /// Classes that relationships join stand in neighbouring columns, so that few lines pass behind boxes; the others
  /// stand where there is room.
  private mutating func place() {
    let depths = self.depths()
    let count = max((depths.compactMap(\.self).max() ?? 0) + 1, Int(Double(boxes.count).squareRoot().rounded(.up)))
    var heights = [Int](repeating: SchemaDiagram.margin, count: count)
    var columns = [Int](repeating: 0, count: boxes.count)
    let joined = boxes.indices.filter { depths[$0] != nil }
    for index in joined + boxes.indices.filter({ depths[$0] == nil }) {
      let column = depths[index] ?? heights.indices.min { heights[$0] < heights[$1] } ?? 0
      columns[index] = column
      boxes[index].y = heights[column]
      heights[column] += boxes[index].height + SchemaDiagram.gap / 2
    }
    var x = SchemaDiagram.margin
    for column in heights.indices {
      let members = boxes.indices.filter { columns[$0] == column }
      let width = members.map { boxes[$0].width }.max() ?? 0
      for index in members { (boxes[index].x, boxes[index].width) = (x, width) }
      x += width + SchemaDiagram.gap
    }
  }
}

// The picture.
extension SchemaDiagram {
  var lines: [String] {
    let width = (boxes.map { $0.x + $0.width }.max() ?? 0) + SchemaDiagram.margin + SchemaDiagram.gap / 2
    let height = (boxes.map { $0.y + $0.height }.max() ?? 0) + SchemaDiagram.margin
    return [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" width=\"\(width)\" "
        + "height=\"\(height)\" role=\"img\">",
      "<title>Classes and relationships of a store</title>",
    ] + SchemaDiagram.style + ["<rect class=\"ground\" width=\"\(width)\" height=\"\(height)\"/>"]
      + links.map(\.path) + boxes.flatMap { lines(of: $0) } + links.flatMap(\.signs) + ["</svg>"]
  }

  private static let style = [
    "<style>",
    "text { font: 12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1b1f24 }",
    ".ground { fill: #ffffff } .box { fill: #f6f8fa; stroke: #8c959f } .head { fill: #dbe9f9; stroke: #8c959f }",
    ".title { font-weight: bold } .kind { fill: #57606a } .link { fill: none; stroke: #0a5bb5; stroke-width: 1.5 }",
    ".above { stroke-dasharray: 5 3 } .many { fill: #0a5bb5; font-weight: bold; font-size: 15px }",
    "@media (prefers-color-scheme: dark) {",
    "text { fill: #e6edf3 } .ground { fill: #0d1117 } .box { fill: #161b22; stroke: #57606a }",
    ".head { fill: #1f3350; stroke: #57606a } .kind { fill: #9da7b1 } .link { stroke: #6cb6ff }",
    ".many { fill: #6cb6ff } }",
    "</style>",
  ]

  private func lines(of box: Box) -> [String] {
    var lines = [
      "<rect class=\"box\" x=\"\(box.x)\" y=\"\(box.y)\" width=\"\(box.width)\" height=\"\(box.height)\" rx=\"5\"/>",
      "<rect class=\"head\" x=\"\(box.x)\" y=\"\(box.y)\" width=\"\(box.width)\" "
        + "height=\"\(SchemaDiagram.titleHeight - 4)\" rx=\"5\"/>",
      text("title", box.x + 10, box.y + 18, box.type.name),
    ]
    for row in box.rows {
      let y = box.middle(of: row.name) + 4
      lines.append(text("name", box.x + 10, y, row.name))
      lines.append(text("kind", box.x + box.width - 10, y, row.kind, end: true))
    }
    return lines
  }

  private func text(_ style: String, _ x: Int, _ y: Int, _ text: String, end: Bool = false) -> String {
    let anchor = end ? " text-anchor=\"end\"" : ""
    return "<text class=\"\(style)\" x=\"\(x)\" y=\"\(y)\"\(anchor)>\(SchemaDiagram.escaped(text))</text>"
  }

  private static func escaped(_ text: String) -> String {
    DisplayText.visible(text).replacing(scalar: "&", with: "&amp;").replacing(scalar: "<", with: "&lt;")
      .replacing(scalar: ">", with: "&gt;")
  }

  private typealias Link = (path: String, signs: [String])

  private var links: [Link] {
    var links: [Link] = []
    for box in boxes {
      if let above = boxes.first(where: { $0.type.name == box.type.superclass }) {
        links.append((path(from: box, nil, to: above, nil, style: "link above"), []))
      }
      for relationship in box.type.relationships where isDrawn(relationship, from: box.type) {
        guard let other = boxes.first(where: { $0.type.name == relationship.destination }) else { continue }
        links.append(link(relationship, from: box, to: other))
      }
    }
    return links
  }

  /// Whether it is the side of its relationship that is drawn: the first by name.
  private func isDrawn(_ relationship: SchemaOutline.Relationship, from type: SchemaOutline.Class) -> Bool {
    guard let inverse = relationship.inverse else { return true }
    return (type.name, relationship.name) <= (relationship.destination, inverse)
  }

  private func link(_ relationship: SchemaOutline.Relationship, from box: Box, to other: Box) -> Link {
    let back = other.type.relationships.first { $0.name == relationship.inverse }
    let (start, end) = ends(from: box, relationship.name, to: other, relationship.inverse)
    var signs: [String] = []
    if back?.isToMany ?? false { signs.append(text("many", start.x + (start.isRight ? 5 : -12), start.y - 3, "*")) }
    if relationship.isToMany { signs.append(text("many", end.x + (end.isRight ? 5 : -12), end.y - 3, "*")) }
    return (path(from: box, relationship.name, to: other, relationship.inverse, style: "link"), signs)
  }

  private typealias End = (x: Int, y: Int, isRight: Bool)

  /// Boxes of one column are joined at their right sides.
  private func ends(from box: Box, _ name: String?, to other: Box, _ inverse: String?) -> (End, End) {
    let isRight = other.x >= box.x
    let otherIsRight = other.x == box.x || other.x < box.x
    return (
      (isRight ? box.x + box.width : box.x, box.middle(of: name), isRight),
      (otherIsRight ? other.x + other.width : other.x, other.middle(of: inverse), otherIsRight)
    )
  }

  private func path(from box: Box, _ name: String?, to other: Box, _ inverse: String?, style: String) -> String {
    let (start, end) = ends(from: box, name, to: other, inverse)
    let bend = SchemaDiagram.gap * 2 / 3
    let (first, second) = (start.x + (start.isRight ? bend : -bend), end.x + (end.isRight ? bend : -bend))
    return "<path class=\"\(style)\" d=\"M \(start.x) \(start.y) C \(first) \(start.y), \(second) \(end.y), "
      + "\(end.x) \(end.y)\"/>"
  }
}
