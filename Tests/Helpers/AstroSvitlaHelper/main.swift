// The app's services in a process of their own, for tests that kill it. `ASTROSVITLA_CRASH=<step>` makes it kill itself
// when it reaches that step, `<step>:3` at the third time; the App Store's own points are armed by its own variable.
// Only this program reads the variable.

import AppStoreTesting
import AstroSvitla
import Foundation

let words = Array(CommandLine.arguments.dropFirst())
do {
  try await Command(words).run()
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
