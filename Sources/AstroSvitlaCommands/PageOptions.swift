import ArgumentParser
import AstroSvitla

/// Which part of a list.
struct PageOptions: ParsableArguments {
  @Option(help: "At most so many.")
  var limit: Int?
  @Option(help: "Leave so many out before them.")
  var offset = 0

  func validate() throws {
    guard limit ?? 1 >= 1, offset >= 0 else { throw ValidationError("--limit is at least 1 and --offset at least 0") }
  }

  var page: Page { Page(limit: limit, offset: offset) }
}
