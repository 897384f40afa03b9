import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/dist/types.js';

/** What bull-board hands to a web server. */
export interface BoardParts {
  queues: BullBoardQueues;
  viewsFolder: string;
  filesFolder: string;
  entry: AppViewRoute;
  api: AppControllerRoute[];
  uiConfig: UIConfig;
}

/** Keeps what bull-board hands over, so that our own router can be made of it. */
export function collectBoardParts(create: (adapter: IServerAdapter) => void): BoardParts {
  const parts: Partial<BoardParts> = {};
  const keep = (more: Partial<BoardParts>) => {
    Object.assign(parts, more);
    return adapter;
  };
  const adapter: IServerAdapter = {
    setQueues: (queues) => keep({ queues }),
    setViewsPath: (viewsFolder) => keep({ viewsFolder }),
    setStaticPath: (_route, filesFolder) => keep({ filesFolder }),
    setEntryRoute: (entry) => keep({ entry }),
    // Failures are answered as everywhere else in the app.
    setErrorHandler: () => adapter,
    setApiRoutes: (api) => keep({ api }),
    setUIConfig: (uiConfig) => keep({ uiConfig }),
  };
  create(adapter);
  return parts as BoardParts;
}
