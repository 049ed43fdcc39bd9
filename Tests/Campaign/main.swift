import ArgumentParser
import Foundation

// A campaign starts this program again for each process that it needs.
let words = Array(CommandLine.arguments.dropFirst())
if words.first == "work" { Worker.run(Array(words.dropFirst())) }
CampaignCommand.main()
