import ArgumentParser
import Foundation
import StoreInspection

struct Man: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write a manual page for each command into a folder.",
    discussion: """
      The folder must be there; pages of the same names in it are replaced. They bear
      today's date, or that of SOURCE_DATE_EPOCH.

      Example: tandem man ~/.local/share/man/man1
      """,
    shouldDisplay: false)

  @Argument(
    help: ArgumentHelp("The folder, such as /usr/local/share/man/man1.", valueName: "folder"), completion: .directory,
    transform: GivenPath.text)
  var folder: String

  func run() throws {
    let place = URL(fileURLWithPath: folder, isDirectory: true)
    let version = TandemCommand.configuration.version
    for page in ManualPage.pages(of: try CommandDescription.root(), version: version, day: Man.day) {
      try Data(page.text.utf8).write(to: place.appendingPathComponent(page.fileName), options: .atomic)
    }
  }

  /// Today, or the day that the environment names, for packages that are the same whenever they are built.
  private static var day: String {
    let given = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"].flatMap(TimeInterval.init)
    let date = given.map { Date(timeIntervalSince1970: $0) } ?? Date()
    return date.formatted(.iso8601.year().month().day())
  }
}
