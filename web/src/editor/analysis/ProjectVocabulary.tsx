import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { changeVocabulary, projectQuery } from '../../api/projects'
import { wordListsText as text } from '../../text/wordLists'
import { WordChips } from '../../ui/WordChips'
import { useProject } from '../state/contexts'

/** Maximum number of terms. */
const MAX_TERMS = 200

/** The names and terms of the project, for its next analysis. */
export function ProjectVocabulary() {
  const { project } = useProject()
  const queryClient = useQueryClient()
  const { mutate, variables, isPending } = useMutation({
    scope: { id: `vocabulary ${project.uuid}` }, // each request has the whole vocabulary, so none may overtake another
    mutationFn: (terms: string[]) => changeVocabulary(project.uuid, terms),
    onSettled: () => queryClient.invalidateQueries({ queryKey: projectQuery(project.uuid).queryKey }),
    onError: (error) => toast.error(messageOf(error)),
  })

  const terms = isPending ? variables : project.vocabulary
  return (
    <details className="group">
      <summary className="flex cursor-pointer items-center gap-1.5 text-sm font-medium text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight size={14} className="transition-transform group-open:rotate-90" aria-hidden />
        {text.project(terms.length)}
      </summary>
      <div className="mt-3 flex flex-col gap-3">
        <p className="text-xs text-muted">
          {text.projectHelp}{' '}
          <Link to="/settings/words" className="text-accent underline underline-offset-2 hover:no-underline">
            {text.accountLists}
          </Link>
        </p>
        <WordChips
          name={text.projectName}
          words={terms}
          placeholder={text.termPlaceholder}
          max={MAX_TERMS}
          onChange={mutate}
        />
      </div>
    </details>
  )
}
