import CommandLineTool
import Foundation

exit(TandemTool.run(Array(CommandLine.arguments.dropFirst())))
